"""`bedrock-monitor preview`: which dashboards, drawn from which data, written where. The drawing is `dashboards.preview`."""

"""The resources that carry evidence: log group, rules, resource policy, metric filters."""

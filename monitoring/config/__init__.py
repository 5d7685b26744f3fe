"""From monitoring.yaml to deployments. See `load`; nothing here imports CDK, boto3 or numpy."""

from monitoring.config.load import Loaded, configuration_file, load_configuration, load_deployments

__all__ = ["Loaded", "configuration_file", "load_configuration", "load_deployments"]

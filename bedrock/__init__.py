"""What Amazon Bedrock emits: metrics, evidence of how a call was served, models, quotas, prices."""

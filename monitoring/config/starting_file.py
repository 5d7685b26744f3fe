"""What does somebody start from who has no monitoring.yaml yet?

A small file with comments, right as it stands, whose first line leads editors to the schema that is packaged beside this module:
by a relative path inside the project's own folder, by an absolute one from anywhere else.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["PACKAGED_SCHEMA", "schema_path_for", "starting_text"]

PACKAGED_SCHEMA = Path(__file__).with_name("monitoring.schema.json")

_TEXT = """\
# yaml-language-server: $schema={schema}
#
# What bedrock-monitor watches. The line above lets editors complete keys and explain them. Change what is marked (1) to (5), then
#
#     bedrock-monitor validate {file}
#     bedrock-monitor validate {file} --explain assistant

organisation:
  name: Acme # (1) shown on pages

accounts:
  prod: # (2) alias of the account: it is part of every name, so let it carry the stage
    id: "111122223333" # (2) twelve digits, in quotes
    regions: [us-east-1] # (2) where Bedrock is called
    notifications: # (3) who hears of what; topics: [ARN] instead of create uses topics that you have
      page: # wakes somebody
        create: {{emails: [oncall@acme.example]}}
      ticket: # worked on in the day
        create: {{emails: [team@acme.example]}}
    models:
      assistant: # (4) key of the model: names its page and its alarms
        ids: [us.amazon.nova-pro-v1:0] # (4) ModelId values as CloudWatch shows them, all that callers use for this model
        # latency: optimized # if callers ask for latency-optimized inference
        # streaming_share: 0 # if no call streams
        # requests_per_minute: 60 # in the day: chooses periods that hold enough requests
        # objectives: {{ttft_p90_ms: 1500, latency_p90_ms: 9000, success_rate: 0.995}} # what users were promised
        quotas: {{tpm: 1000000}} # (5) tokens per minute of the account: Service Quotas, Amazon Bedrock
        # baselines: {{otps: 110, output_tokens: 350, input_tokens: 2000}} # measured on a good day; till then estimates count
"""


def schema_path_for(file: Path, *, schema: Path = PACKAGED_SCHEMA) -> str:
    """Return the schema's path as the first line of a file names it, with forward slashes."""
    folder = file.resolve().parent
    project = schema.resolve().parents[2]
    if folder.is_relative_to(project) and "site-packages" not in schema.parts:
        return Path(os.path.relpath(schema.resolve(), folder)).as_posix()
    return schema.resolve().as_posix()


def starting_text(file: Path) -> str:
    """Return the content of a new configuration that is going to be `file`."""
    return _TEXT.format(schema=schema_path_for(file), file=file.name)

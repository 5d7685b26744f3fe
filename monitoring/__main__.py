"""`python -m monitoring` is `bedrock-monitor`."""

from monitoring.cli.main import run

if __name__ == "__main__":
    run()

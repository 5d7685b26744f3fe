"""Which commands are there, and what happens when one goes wrong?

A command is a function with typer annotations in a module of this package, and one line in `COMMANDS`. Its module is imported
only when the command is called (or its own help is asked for), so a slow import costs only its own command: commands import
CDK, boto3 or numpy inside their function or module, never here. The one-line help stands in the table for the same reason.

A command prints data with `output.data` and messages with `output.tell`, and ends with `typer.Exit(1)` when it found
something, `output.refuse` when it was called wrongly, `output.fail` when the configuration is wrong.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from monitoring.cli.output import FINE, USAGE, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "app", "run"]

# name -> (module:function, one line of help). The order is the order of --help.
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("monitoring.cli.init:init", "Write a first configuration to edit."),
    "validate": ("monitoring.cli.validate:validate", "Check a configuration, or explain a model's effective values."),
    "synth": ("monitoring.cli.synth:synth", "Write CloudFormation for every account and Region."),
    "deploy-policy": ("monitoring.cli.deploy_policy:print_policy", "Print the IAM policy that a deployment needs."),
    "cost": ("monitoring.cli.cost:cost", "Print what a month costs at AWS, at list price."),
    "simulate": ("monitoring.cli.simulate:simulate", "Write a simulated recording of an incident, with the truth."),
    "test": ("monitoring.cli.scenarios:run_tests", "Run scenario files: unit tests of alarms, without an AWS account."),
    "lint": ("monitoring.cli.lint:lint_files", "Find faults in alarms, filters and dashboards from any source."),
    "preview": ("monitoring.cli.preview:preview", "Draw dashboards into HTML files, without an AWS account."),
    "explain": (
        "monitoring.cli.scenarios:explain_alarm",
        "Show one evaluation of one alarm in a scenario, step by step.",
    ),
    "verify-evidence": (
        "monitoring.cli.verify_evidence:verify_evidence",
        "Compare the account's own records with the configuration. Reads only.",
    ),
    "discover": (
        "monitoring.cli.discover:discover",
        "Propose a configuration from an account, or check that it still fits.",
    ),
    "record": ("monitoring.cli.record:record", "Record metrics, alarm history and log matches from AWS, for backtest."),
    "triage": (
        "monitoring.cli.triage:triage",
        "Somebody was called: what is it, who is affected, what first? Reads only.",
    ),
    "review": ("monitoring.cli.review:review", "Review a week: a page and Markdown for the meeting. Reads only."),
    "backtest": (
        "monitoring.cli.backtest:backtest",
        "Run alarms over a recording and count what would have fired and paged.",
    ),
    "audit": ("monitoring.cli.audit:audit", "Lint what lives in the account, against its own metrics. Reads only."),
    "alive": ("monitoring.cli.alive:alive", "Is the watch itself alive? An exit code for a scheduler. Reads only."),
    "fire-drill": ("monitoring.cli.fire_drill:fire_drill", "Send one marked page down each severity's path."),
}

PROGRAM = "bedrock-monitor"
STOPPED = 130  # what shells report of a program that Ctrl-C ended
# Help is plain text: rich takes longer to import than `validate` takes to run.
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}


class _LazyGroup(TyperGroup):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - signature of the base class
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        target, help_line = COMMANDS[cmd_name]
        return _command(cmd_name, target, help_line)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, help_line) in COMMANDS.items()])


def _command(name: str, target: str, help_line: str) -> Any:
    module, function = target.split(":")
    single = typer.Typer(**_PLAIN)
    single.command(name, short_help=help_line)(getattr(import_module(module), function))
    return typer.main.get_command(single)


app = typer.Typer(cls=_LazyGroup, no_args_is_help=True, name=PROGRAM, **_PLAIN)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the value
    if wanted:
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow, only --version needs it

        try:
            number = version(PROGRAM)
        except PackageNotFoundError:
            number = "(not installed: run from its source)"
        sys.stdout.write(f"{PROGRAM} {number}\n")
        raise typer.Exit(FINE)


@app.callback()
def _options(
    *,
    version: bool = typer.Option(False, "--version", is_eager=True, callback=_version, help="Print the version."),  # noqa: FBT003
    debug: bool = typer.Option(False, "--debug", help="Show the Python traceback of an unexpected error."),  # noqa: FBT003
) -> None:
    """Dashboards and alarms for Amazon Bedrock models, from one YAML file."""


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code: the console entry point."""
    gc.set_threshold(
        100_000
    )  # imports make many objects and hardly any garbage: looking for it took a tenth of `validate`
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for plugins reads every installed package
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(given))


def _run(arguments: list[str]) -> int:
    try:
        result = app(args=arguments, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, EOFError, typer.Abort):
        result = STOPPED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads any more: nothing to say
        return FINE
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else USAGE
    except Exception as error:  # noqa: BLE001 - the one place where nothing may pass
        return _explained(error, debug="--debug" in arguments)
    if result == STOPPED:  # typer, too, makes it of Ctrl-C
        tell(f"{PROGRAM}: stopped.")
    return result if isinstance(result, int) else FINE


def _explained(error: Exception, *, debug: bool) -> int:
    if isinstance(error, typer.Exit):
        return int(error.exit_code)
    show = getattr(error, "show", None)  # an error of the command line itself: unknown option, missing argument
    if callable(show):
        show()
        return USAGE
    if debug:
        import traceback  # noqa: PLC0415 - only here

        traceback.print_exception(error)
    said = " ".join(str(error).split())[:300] or "no message"
    hint = "" if debug else f" Run '{PROGRAM} --debug ...' and report the traceback."
    tell(f"{PROGRAM}: unexpected error: {type(error).__name__}: {said}.{hint}")
    return USAGE

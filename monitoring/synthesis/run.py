"""From a configuration to a cloud assembly: the one way that the command, app.py and the CDK command line share.

The CDK is imported inside these functions, after Node was chosen, and only when something is synthesised.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from cloudwatch.problems import InvalidValueError, Problem, ProblemsError
from monitoring.config import configuration_file, load_deployments
from monitoring.plan import plans
from monitoring.plan_limits import limit_problems
from monitoring.synthesis.node import use_packaged_node
from monitoring.synthesis.output import replacing
from monitoring.synthesis.validation import validation_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from monitoring.deployment import Deployment
    from monitoring.plan import Plan

__all__ = ["checked_plans", "main", "synthesise"]

OUTDIR_VARIABLE = "CDK_OUTDIR"
CONTEXT_VARIABLE = "CDK_CONTEXT_JSON"
CONTEXT_FILE_VARIABLE = "CONTEXT_OVERFLOW_LOCATION_ENV"
DEFAULT_OUTDIR = Path("cdk.out")


def checked_plans(
    deployments: Sequence[Deployment], *, account: str | None = None, region: str | None = None
) -> tuple[Plan, ...]:
    """Return the plans of the accounts and Regions wanted, within the limits of AWS.

    Args:
        deployments: All that the configuration describes.
        account: Alias or id of the only account wanted, or None.
        region: The only Region wanted, or None.

    Raises:
        ProblemsError: Nothing fits, or a limit is passed.
    """
    try:
        every = plans(deployments)
    except InvalidValueError as error:
        raise ProblemsError([Problem(code="refused-by-aws", message=str(error))]) from None
    made = tuple(
        plan
        for plan in every
        if account in {None, plan.deployment.site.alias, plan.deployment.site.account_id}
        and region in {None, plan.deployment.site.region}
    )
    if not made:
        have = ", ".join(f"{each.site.alias} in {each.site.region}" for each in deployments) or "none"
        raise ProblemsError(
            [
                Problem(
                    code="nothing-to-deploy",
                    message=f"no deployment fits account {account or 'any'} and Region {region or 'any'}.",
                    hint=f"The configuration has: {have}.",
                )
            ]
        )
    problems = limit_problems(made)
    if problems:
        raise ProblemsError(problems)
    return made


def synthesise(
    made: Sequence[Plan],
    *,
    out: Path,
    check_templates: bool = False,
    report: Callable[[str], None] | None = None,
) -> None:
    """Write the cloud assembly of some plans; the folder is replaced as a whole or not at all.

    Args:
        made: The plans.
        out: Folder of the cloud assembly.
        check_templates: Let the CDK validate every template (5 to 10 s).
        report: Called with the name of each stack when it is in the tree.

    Raises:
        ProblemsError: There is no Node, `out` holds something else, or the validation found something.
    """
    use_packaged_node()
    from monitoring.stack import deployment_app  # noqa: PLC0415 - starts Node

    with replacing(out) as folder:
        deployment_app(plans=made, outdir=str(folder), check_templates=check_templates, report=report).synth()
        _refuse_findings(folder)


def main(arguments: Sequence[str]) -> int:
    """Synthesise as app.py: started by the CDK command line, or by hand with `-c config=FILE`.

    Returns:
        Exit code: 0, or 2 where the configuration is wrong.
    """
    try:
        if outdir := os.environ.get(OUTDIR_VARIABLE):
            _for_command_line(arguments, outdir=outdir)
        else:
            made = checked_plans(load_deployments(configuration_file(_config_argument(arguments))))
            synthesise(made, out=DEFAULT_OUTDIR, check_templates=True)
    except ProblemsError as error:
        for problem in error.problems:
            sys.stderr.write(f"{problem}\n")
        return 2
    return 0


def _for_command_line(arguments: Sequence[str], *, outdir: str) -> None:
    """Build into the folder that the CDK command line owns; its context may name the configuration."""
    use_packaged_node()
    from monitoring.stack import deployment_app  # noqa: PLC0415 - starts Node

    named = _config_argument(arguments) or _context().get("config")
    made = checked_plans(load_deployments(configuration_file(named)))
    deployment_app(plans=made, outdir=outdir).synth()
    _refuse_findings(Path(outdir))


def _refuse_findings(folder: Path) -> None:
    problems = validation_problems(folder)
    if problems:
        raise ProblemsError(problems)


def _context() -> dict[str, str]:
    """Return the context that the CDK command line passes on (`-c key=value`): in a variable, or in a file if long."""
    context: dict[str, str] = json.loads(os.environ.get(CONTEXT_VARIABLE) or "{}")
    overflow = os.environ.get(CONTEXT_FILE_VARIABLE)
    if overflow and Path(overflow).is_file():
        context |= json.loads(Path(overflow).read_text(encoding="utf-8"))
    return context


def _config_argument(arguments: Sequence[str]) -> str | None:
    """Return FILE of `-c config=FILE` or `--context config=FILE`, or None."""
    for flag, value in pairwise(arguments):
        if flag in {"-c", "--context"} and value.startswith("config="):
            return value.removeprefix("config=")
    return None

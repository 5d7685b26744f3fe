"""Do the floors hold? What an import linter cannot see."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("cloudwatch", "bedrock", "alarms", "dashboards", "monitoring")
VALUE_MODULES = ("problems", "limits", "stat", "metric", "alarm", "metric_filter", "alarm_rule", "cloudformation")


def imported_roots(source: str) -> set[str]:
    """Return the first part of every module that a source imports, wherever the import stands."""
    roots: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            roots.add(node.module.split(".")[0])
    return roots


def foreign_imports(folder: str, source: str) -> set[str]:
    """Return what a module below the edge imports beyond the standard library, numpy and its own floors."""
    own = {"cloudwatch": {"cloudwatch"}, "bedrock": {"cloudwatch", "bedrock"}}[folder]
    return imported_roots(source) - own - {"numpy"} - set(sys.stdlib_module_names)


@pytest.mark.parametrize("folder", ["cloudwatch", "bedrock"])
def test_engine_and_telemetry_need_only_the_standard_library_and_numpy(folder: str) -> None:
    """The two lowest floors import nothing that would have to be installed, numpy apart."""
    found = {
        str(path.relative_to(ROOT)): foreign
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (foreign := foreign_imports(folder, path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_the_import_check_sees_a_planted_import() -> None:
    """A third-party import hidden in a function is found."""
    assert foreign_imports("cloudwatch", "def f():\n    import yaml.nodes\n") == {"yaml"}
    assert foreign_imports("cloudwatch", "from bedrock import models\n") == {"bedrock"}


def modules_after(statement: str) -> set[str]:
    """Return the names of the modules that a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("package", FLOORS)
def test_importing_a_package_starts_no_node_and_no_sdk(package: str) -> None:
    """`import alarms` stays quick: neither jsii nor the AWS SDK is loaded."""
    assert modules_after(f"import {package}").isdisjoint({"jsii", "aws_cdk", "boto3", "botocore"})


@pytest.mark.parametrize("module", VALUE_MODULES)
def test_value_modules_do_not_load_numpy(module: str) -> None:
    """`validate` and `lint` stay quick: values load no numpy."""
    assert "numpy" not in modules_after(f"import cloudwatch.{module}")


def test_the_module_check_sees_a_loaded_module() -> None:
    """The probe really looks into the other interpreter."""
    assert "numpy" in modules_after("import numpy")


def test_app_stays_thin() -> None:
    """app.py reads the configuration and builds the stacks; it decides nothing."""
    source = (ROOT / "app.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    assert len(source.splitlines()) <= 40
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.For)]


def test_no_top_level_folder_shadows_a_library() -> None:
    """A folder with the name of a library would break its import."""
    assert not [name for name in ("constructs", "aws_cdk", "jsii", "boto3") if (ROOT / name).exists()]


def test_the_folders_the_product_is_known_by_exist() -> None:
    """Top-level names that users rely on."""
    names = ("cdk.json", "app.py", "monitoring", "dashboards", "alarms", "tests", "README.md")
    assert [name for name in names if not (ROOT / name).exists()] == []

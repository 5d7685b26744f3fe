"""How does one distribution with five top-level packages live below a single name?

A finder answers for `bedrock_monitor.<package>...` only. It loads the ordinary source files next to this package, after
turning their absolute imports of the five packages into imports below the single name. The modules are therefore separate
from any `monitoring` that the application itself imports, lazy imports inside functions included. No byte code is written:
the cache file of a source belongs to its ordinary name.
"""

from __future__ import annotations

import ast
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

__all__ = ["PACKAGES", "install"]

PACKAGES = frozenset({"alarms", "bedrock", "cloudwatch", "dashboards", "monitoring"})
_NAME = __name__.partition(".")[0]
_ROOT = Path(__file__).resolve().parents[1]


class _Prefixed(ast.NodeTransformer):
    """Puts the single name in front of absolute imports of the five packages."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """`from alarms.naming import Site` becomes `from bedrock_monitor.alarms.naming import Site`."""
        if node.level == 0 and node.module is not None and _is_ours(node.module):
            node.module = f"{_NAME}.{node.module}"
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST | list[ast.stmt]:
        """`import alarms.naming as n` keeps its `as`; a bare `import alarms.naming` binds `alarms`, as it says."""
        out: list[ast.stmt] = []
        for alias in node.names:
            if not _is_ours(alias.name):
                out.append(ast.Import(names=[alias]))
                continue
            top = alias.name.partition(".")[0]
            if alias.asname is None:
                if alias.name != top:
                    out.append(ast.Import(names=[ast.alias(name=f"{_NAME}.{alias.name}", asname="_")]))
                out.append(ast.Import(names=[ast.alias(name=f"{_NAME}.{top}", asname=top)]))
            else:
                out.append(ast.Import(names=[ast.alias(name=f"{_NAME}.{alias.name}", asname=alias.asname)]))
        return [ast.copy_location(statement, node) for statement in out]


class _Loader(SourceFileLoader):
    """Compiles the transformed source; never reads or writes a cache file."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = ast.fix_missing_locations(_Prefixed().visit(ast.parse(self.get_data(path), filename=path)))
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        return code


class _Finder(MetaPathFinder):
    """Finds `bedrock_monitor.<package>...` in the files next to this package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        name, _, inside = fullname.partition(".")
        if name != _NAME or not _is_ours(inside):
            return None
        place = _ROOT.joinpath(*inside.split("."))
        if (place / "__init__.py").is_file():
            file = place / "__init__.py"
            return spec_from_file_location(
                fullname, file, loader=_Loader(fullname, str(file)), submodule_search_locations=[str(place)]
            )
        file = place.with_suffix(".py")
        if file.is_file():
            return spec_from_file_location(fullname, file, loader=_Loader(fullname, str(file)))
        return None


def install() -> None:
    """Add the finder to this interpreter, once."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES

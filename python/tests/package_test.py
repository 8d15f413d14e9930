"""The package as a whole: names, docstrings, documentation, examples."""

import ast
import dataclasses
import doctest
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import clchol

ROOT = pathlib.Path(__file__).parents[2]
MODULES = ["clchol", "clchol.solver", "clchol.cholmod", "clchol.cholesky_factor",
           "clchol.functions", "clchol.options", "clchol.reports", "clchol.plot"]  # fmt: skip


def run(program, *arguments):
    return subprocess.run([sys.executable, *arguments, "-c", program], capture_output=True,
                          text=True, check=True).stdout  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_import_loads_neither_numpy_nor_the_library():
    program = (
        "import sys, clchol; print([m for m in ('numpy', 'clchol._clchol') if m in sys.modules])"
    )
    assert run(program).strip() == "[]"


def test_a_solver_does_not_load_scipy():
    assert (
        run("import sys, clchol; clchol.Solver(); print('scipy' in sys.modules)").strip() == "False"
    )


def test_all_names_are_there_and_typed():
    for name in clchol.__all__:
        assert getattr(clchol, name) is not None
    assert sorted(dir(clchol)) == sorted(clchol.__all__)
    stub = (pathlib.Path(clchol.__file__).parent / "__init__.pyi").read_text()
    assert set(re.findall(r"import \w+ as (\w+)", stub)) | {"__version__"} == set(clchol.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        getattr(clchol, "nothing")


def test_the_version_is_that_of_the_library():
    assert re.fullmatch(r"\d+\.\d+\.\d+", clchol.__version__)


def test_keywords_are_the_fields_of_options():
    source = inspect.getsource(importlib.import_module("clchol.options"))
    classes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    keywords = next(node for node in classes if node.name == "OptionKeywords")
    fields = [field.name for field in dataclasses.fields(clchol.Options)]
    assert [line.target.id for line in keywords.body] == fields


def test_every_public_thing_has_a_docstring():
    for name in clchol.__all__:
        thing = getattr(clchol, name)
        if not inspect.isclass(thing) and not inspect.isfunction(thing):
            continue
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and (
                inspect.isfunction(value) or isinstance(value, property)
            ):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_the_documentation_runs(tmp_path, monkeypatch):
    """The blocks of docs/python.md, one after another, as a reader would paste them."""
    page = ROOT / "docs" / "python.md"
    if not page.exists():
        pytest.skip("not in a clone")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(compile(block, str(page), "exec"), names)


def test_the_example_runs():
    pytest.importorskip("skfem")
    example = pathlib.Path(__file__).parents[1] / "examples" / "scikit_fem.py"
    done = subprocess.run([sys.executable, example, "3"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "336 unknowns" in done.stdout and done.stdout.count("load") == 3

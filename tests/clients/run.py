#!/usr/bin/env python3
"""Runs other people's programs with and without clchol's drop-in libraries.

  sudo tests/clients/run.py --install --cholmod /usr/lib/libclchol_cholmod.so
  tests/clients/run.py --cholmod LIB [--pardiso LIB] [--python VENV/bin/python] [--only NAME ...]

The programs are Debian 12's and PyPI's as they are, from a released package; the small programs in
this folder call them with data that they generate.  Each runs twice: as it is, and with
LD_PRELOAD=LIB (pypardiso: PYPARDISO_MKL_RT=LIB).  The table says whether the results are the same,
and puts the times side by side.  What this proves: the programs need no change, their results stay
the same to a stated tolerance (--list says which, and why), and it was clchol that factored: the
library says so on stderr, where CLCHOL_VERBOSE=1.  Results:

  same        the results agree, and clchol factored
  passed on   the results agree; the library left the work to CHOLMOD, as it should here
  not taken   the results agree, but clchol factored nothing: a failure
  different   the results do not agree, or one of the runs failed: a failure; stderr says what
  not run     a package is missing, or cannot be built; stderr says what

The row "in CHOLMOD" after a command's cases has the time inside CHOLMOD's functions alone, of all
threads and cases, by a library that is preloaded in both runs (timer/cholmod_timer.c).

The exit status is 1 if there was a failure, 77 if nothing was run, 0 otherwise.

--install gets missing packages (apt-get, as root; pip into --python's environment, or into one that
it makes in the work folder).  --light: clients of seconds and of little disk alone, small cases.
--repeat N: each run N times, medians of the times.  --threads: 2 for both by default.
Real pose graphs: --g2o FOLDER with *.g2o files.  Eigen's tests of another version: --eigen-source.
Times are those of the machine at the moment; no result depends on them.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from client import (HERE, Context, NotRun, compiled, differences, median_of, missing_packages, run,
                    say)
from clients import ALL, CANNOT, Eigen, fetch_eigen

PIP_FIRST = ["numpy<2", "cython<3.1", "setuptools<80", "wheel"]


def install(clients, context):
    """Installs what the clients need and the machine has not."""
    debian, pypi = set(), set()
    if not context.python and any(client.pypi for client in clients):
        debian.add("python3-venv")
    for client in clients:
        missing_debian, missing_pypi = missing_packages(client, context)
        debian.update(missing_debian)
        pypi.update(client.pypi if missing_pypi else ())
    if pypi:
        debian.update(("python3-dev", "g++"))
    if debian:
        say("apt-get install", *sorted(debian))
        subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends",
                        *sorted(debian)], check=True, stdout=sys.stderr)
    if pypi and not context.python:
        folder = context.work / "venv"
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        context.python = str(folder / "bin" / "python")
    if pypi:
        say("pip install", *sorted(pypi))
        pip = [context.python, "-m", "pip", "install", "-q"]
        subprocess.run([*pip, *PIP_FIRST], check=True)
        # scikit-sparse 0.4 is built here, with this NumPy and this Cython.
        subprocess.run([*pip, "--no-build-isolation", *sorted(pypi | {"numpy<2"})], check=True)
    if any(isinstance(client, Eigen) for client in clients) and not context.options["eigen_source"]:
        fetch_eigen(context)


def check(client, context):
    """Raises NotRun if the client cannot run here."""
    if client.library and client.library not in context.libraries:
        raise NotRun(f"no --{client.library}")
    debian, pypi = missing_packages(client, context)
    if debian or pypi:
        raise NotRun("not installed: " + ", ".join([*debian, *pypi]))
    client.build(context)


def verdict(client, name, without, with_):
    """Returns the result of one case of two Runs, and lines that explain it."""
    if without.status != with_.status:
        lines = [f"exit status {without.status} without, {with_.status} with"]
        return "different", lines + with_.stderr.splitlines()[-3:]
    if name not in with_.cases or name not in without.cases:
        return "different", ["one run has not this case", *with_.stderr.splitlines()[-3:]]
    lines = list(differences(without.cases[name], with_.cases[name], client.tolerance))
    if lines:
        return "different", lines
    if with_.factorizations > 0 or client.is_linked:
        return "same", []
    return ("not taken" if client.must_be_taken else "passed on"), []


def seconds_of(client, found):
    """Returns the seconds of the client's times that count; None where there are none."""
    times = [t for name, t in found.times.items() if not client.timed or name in client.timed]
    return sum(times) if times else None


def build_timer(context):
    """Returns the path of the library that takes the time of CHOLMOD's functions."""
    try:
        return str(compiled(context, "cc", [HERE / "timer" / "cholmod_timer.c"],
                            "libcholmod_timer.so",
                            ["-O2", "-fPIC", "-shared", "-I/usr/include/suitesparse", "-ldl"]))
    except NotRun as reason:
        say(f"  no time of CHOLMOD's functions: {reason}")
        return ""


def preloading(environment, library):
    """Returns the environment with one more library to load, the first one."""
    others = environment.get("LD_PRELOAD")
    return environment | {"LD_PRELOAD": f"{library}:{others}" if others else library}


def run_client(client, context):
    """Yields (case, result, seconds without, seconds with, lines) of the client."""
    folder = context.work
    for command, environment, read in client.commands(context):
        plain = context.environment() | environment
        with_clchol = plain | client.environment_with(context)
        if context.timer and client.library == "cholmod":
            plain = preloading(plain, context.timer)
            with_clchol = preloading(with_clchol, context.timer)
        without = median_of([run(command, plain, folder, read) for _ in range(context.repeat)])
        with_ = median_of([run(command, with_clchol, folder, read) for _ in range(context.repeat)])
        if without.status != 0 or not without.cases:
            last = (without.stderr.strip().splitlines() or ["no message"])[-1]
            raise NotRun(f"fails without clchol too, exit status {without.status}: {last}")
        for name in without.cases | with_.cases:
            result, lines = verdict(client, name, without, with_)
            times = [seconds_of(client, r.cases[name]) if name in r.cases else None
                     for r in (without, with_)]
            yield name, result, *times, lines
        if without.in_cholmod > 0 and with_.in_cholmod > 0:
            yield "in CHOLMOD", "", without.in_cholmod, with_.in_cholmod, []


def row(client, case, result, without=None, with_=None):
    ratio = f"{without / with_:.2f}" if without and with_ else ""
    shown = ["" if t is None else f"{t:.4f}" for t in (without, with_)]
    print(f"{client:<18} {case:<26} {result:<10} {shown[0]:>10} {shown[1]:>10} {ratio:>7}",
          flush=True)


def list_clients():
    for client in ALL:
        light = " (light)" if client.is_light else ""
        print(f"{client.name}{light}: {client.__doc__.splitlines()[0]}")
        print(f"    tolerance {client.tolerance:g}: {client.reason}")
        print(f"    needs {', '.join([*client.debian, *client.pypi])}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cholmod", help="libclchol_cholmod.so")
    parser.add_argument("--pardiso", help="libclchol_pardiso.so")
    parser.add_argument("--python", default="", help="an interpreter with the packages of PyPI")
    parser.add_argument("--only", nargs="+", choices=[c.name for c in ALL], metavar="NAME")
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--list", action="store_true", help="names, tolerances, packages")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", help="folder for what is built and downloaded")
    parser.add_argument("--g2o", default="", help="folder of pose graphs")
    parser.add_argument("--eigen-source", default="", help="Eigen's source, with its tests")
    parser.add_argument("--prefix", default="", help="where clchol is installed")
    given = parser.parse_args()
    if given.repeat < 1 or given.threads < 1:
        parser.error("--repeat and --threads are at least 1")
    return given


def make_context(given):
    work = pathlib.Path(given.work or pathlib.Path(tempfile.gettempdir()) / "clchol_clients")
    work.mkdir(parents=True, exist_ok=True)
    python = given.python
    if not python and (work / "venv" / "bin" / "python").exists():
        python = str(work / "venv" / "bin" / "python")
    libraries = {}
    for name, path in (("cholmod", given.cholmod), ("pardiso", given.pardiso)):
        if path:
            libraries[name] = str(pathlib.Path(path).resolve(strict=True))
    folders = {name: path and str(pathlib.Path(path).resolve()) for name, path in
               (("g2o", given.g2o), ("eigen_source", given.eigen_source), ("prefix", given.prefix))}
    return Context(libraries, python, work.resolve(), given.light, given.repeat, given.threads,
                   folders)


def main():
    given = arguments()
    if given.list:
        list_clients()
        return 0
    context = make_context(given)
    context.timer = build_timer(context) if given.cholmod else ""
    clients = [c() for c in ALL if (not given.only or c.name in given.only) and
               (not given.light or c.is_light or given.only)]
    if given.install:
        install(clients, context)
    print(f"{'client':<18} {'case':<26} {'result':<10} {'without s':>10} {'with s':>10}   ratio")
    ran = failed = 0
    for client in clients:
        try:
            check(client, context)
            for case, result, without, with_, lines in run_client(client, context):
                row(client.name, case, result, without, with_)
                for line in lines:
                    say(f"  {client.name}, {case}: {line}")
                ran += result != ""
                failed += result in ("different", "not taken")
        except NotRun as reason:
            row(client.name, "", "not run")
            say(f"  {client.name}: {reason}")
    if not given.only and not given.light:
        for name, reason in CANNOT.items():
            row(name, "", "not run")
            say(f"  {name}: {reason}")
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed else (0 if ran else 77)


if __name__ == "__main__":
    sys.exit(main())

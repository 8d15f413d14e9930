"""What a client of a drop-in library is, how it is run, and how two runs are compared.

Clients print one line for each thing that they found (their own programs' form, or what `read`
makes of a foreign program's output):

  case NAME             the lines that follow belong to this case
  value NAME NUMBER     a result: without and with clchol it agrees to the client's tolerance
  bound NAME NUMBER     an error, such as a residual: with clchol at most ten times as large
  time NAME SECONDS     what the case took; lines of the same name add up
  begin NAME, end NAME  the same, for a program that cannot take the time itself
  note NAME TEXT        not compared
"""

import dataclasses
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
# What a drop-in library says on stderr of each factorization that it does (CLCHOL_VERBOSE=1).
FACTORED = re.compile(r"^clchol_\w+: factored", re.MULTILINE)
# What timer/cholmod_timer.c says at a program's end: a function of CHOLMOD, its seconds, calls.
CALLS = re.compile(r"^cholmod_timer: (\w+) ([\d.]+) (\d+)$", re.MULTILINE)
# Errors below this are rounding, whatever they were without clchol: 1e4 units of 2^-53.
ROUNDING = 1e-12
TIME_LIMIT = 900  # Seconds for one run of a client.


class NotRun(Exception):
    """A client cannot run here; the text says why."""


@dataclasses.dataclass
class Found:
    """What one case found in one run."""

    values: dict = dataclasses.field(default_factory=dict)
    bounds: dict = dataclasses.field(default_factory=dict)
    times: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Run:
    """One run of a command: what its cases found, and what clchol said."""

    status: int
    stdout: str
    stderr: str
    cases: dict
    in_cholmod: float = 0  # Seconds in CHOLMOD's functions, whoever defines them.

    @property
    def factorizations(self):
        return len(FACTORED.findall(self.stderr))


def read_lines(stamped):
    """Returns {case: Found} of the lines, each with the time at which it came."""
    cases = {}
    found = Found()
    begun = {}
    for seconds, line in stamped:
        word, _, rest = line.strip().partition(" ")
        name, _, number = rest.rpartition(" ")
        if word == "case":
            found = cases.setdefault(rest, Found())
        elif word == "value":
            found.values[name] = float(number)
        elif word == "bound":
            found.bounds[name] = float(number)
        elif word == "time":
            found.times[name] = found.times.get(name, 0) + float(number)
        elif word == "begin":
            begun[rest] = seconds
        elif word == "end":
            found.times[rest] = found.times.get(rest, 0) + seconds - begun.pop(rest)
    return cases


def run(command, environment, folder, read=None):
    """Runs the command and returns its Run.

    `read`, where given, makes {case: Found} of the output, the exit status and the seconds.
    """
    began = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], cwd=folder, text=True,
                               env=os.environ | environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace")
    stderr = []
    reader = threading.Thread(target=lambda: stderr.append(process.stderr.read()))
    reader.start()
    limit = threading.Timer(TIME_LIMIT, process.kill)
    limit.start()
    stamped = [(time.monotonic(), line) for line in process.stdout]
    reader.join()
    status = process.wait()
    limit.cancel()
    text = "".join(line for _, line in stamped)
    seconds = time.monotonic() - began
    cases = read(text, status, seconds) if read else read_lines(stamped)
    in_cholmod = sum(float(found[1]) for found in CALLS.findall(stderr[0]))
    return Run(status, text, stderr[0], cases, in_cholmod)


def median_of(runs):
    """Returns the first Run, with the median of all runs for each time."""
    first = runs[0]
    for name, found in first.cases.items():
        for what in found.times:
            times = sorted(r.cases[name].times[what] for r in runs if name in r.cases)
            found.times[what] = times[len(times) // 2]
    first.in_cholmod = sorted(r.in_cholmod for r in runs)[len(runs) // 2]
    return first


def differences(without, with_, tolerance):
    """Yields a line for each result of two Found that is not the same."""
    if without.values.keys() != with_.values.keys() or without.bounds.keys() != with_.bounds.keys():
        missing = (without.values.keys() ^ with_.values.keys()) | (
            without.bounds.keys() ^ with_.bounds.keys())
        yield "in one run only: " + ", ".join(sorted(missing))
        return
    for name, value in without.values.items():
        other = with_.values[name]
        if value != other and not math.isclose(value, other, rel_tol=tolerance, abs_tol=tolerance):
            yield f"{name}: {value:.12g} without, {other:.12g} with"
    for name, bound in without.bounds.items():
        if not with_.bounds[name] <= max(10 * bound, ROUNDING):
            yield f"{name}: error {bound:.3g} without, {with_.bounds[name]:.3g} with"


@dataclasses.dataclass
class Context:
    """What the command line asked for."""

    libraries: dict  # From "cholmod", "pardiso" to the path of the drop-in library.
    python: str  # The interpreter that has the packages of PyPI; "" where there is none.
    work: pathlib.Path  # A folder for what is built.
    light: bool
    repeat: int
    threads: int
    options: dict  # "g2o", "eigen_source", "prefix": a folder or "".
    timer: str = ""  # The library of timer/cholmod_timer.c; "" where it cannot be built.

    def environment(self):
        """Two threads at most for whoever solves."""
        count = str(self.threads)
        return {"OPENBLAS_NUM_THREADS": count, "OMP_NUM_THREADS": count, "MKL_NUM_THREADS": count}

    def with_clchol(self, library):
        return {"LD_PRELOAD": self.libraries[library], "CLCHOL_DEVICE": "cpu",
                "CLCHOL_THREADS": str(self.threads), "CLCHOL_VERBOSE": "1"}


class Client:
    """A program, or a package, that solves with CHOLMOD or Pardiso."""

    name = ""
    library = "cholmod"  # "cholmod", "pardiso", or "" for none.
    is_light = False  # Needs seconds, and packages of some MB.
    debian = ()  # Packages of Debian.
    pypi = ()  # Packages of PyPI, for Context.python.
    tolerance = 1e-9
    # Why the tolerance is what it is.
    reason = "relative; condition numbers are below 1e6: rounding is below 1e-10"
    # The times that make up the table's time; all where empty.
    timed = ()
    # Whether a run that clchol did not take part in is a failure.
    must_be_taken = True
    # Whether the run "with" calls clchol itself, which says nothing on stderr.
    is_linked = False

    def build(self, context):
        """Makes what the commands need.  Raises NotRun."""

    def commands(self, context):
        """Yields (command, environment, read or None) for each run."""
        raise NotImplementedError

    def environment_with(self, context):
        return context.with_clchol(self.library)


def compiled(context, compiler, sources, output, flags):
    """Builds a program, if a source is newer.  Raises NotRun with the compiler's words."""
    program = context.work / output
    newest = max(pathlib.Path(source).stat().st_mtime for source in sources)
    if not program.exists() or program.stat().st_mtime < newest:
        if shutil.which(compiler) is None:
            raise NotRun(f"{compiler} is not installed")
        main = [source for source in sources if not source.suffix.startswith(".h")]
        done = subprocess.run([compiler, *map(str, main), "-o", str(program), *flags], text=True,
                              capture_output=True, check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines()
            errors = [line for line in lines if "error" in line] or lines or ["no message"]
            raise NotRun(f"does not compile: {errors[0]}")
    return program


def is_debian_package_installed(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], text=True,
                          capture_output=True, check=False)
    return done.stdout.endswith(" installed")


def missing_packages(client, context):
    """Returns the client's packages that are not installed: of Debian, of PyPI."""
    if shutil.which("dpkg-query") is None:
        raise NotRun("this is not Debian")
    debian = [p for p in client.debian if not is_debian_package_installed(p)]
    if not client.pypi:
        return debian, []
    if not context.python:
        return debian, list(client.pypi)
    wanted = [re.split(r"[<>=]", package)[0] for package in client.pypi]
    script = ("import importlib.metadata as m, sys\n"
              "have = {d.metadata['Name'].lower() for d in m.distributions()}\n"
              "print(*[w for w in sys.argv[1:] if w.lower() not in have])")
    done = subprocess.run([context.python, "-c", script, *wanted], text=True, capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise NotRun(f"{context.python} does not run: {done.stderr.strip()}")
    return debian, done.stdout.split()


def say(*words):
    print(*words, file=sys.stderr, flush=True)

"""What the end-to-end tests share: running the command in a temporary folder, and small matrices.

Entries are given zero-based; the files have 1-based ones, as Matrix Market wants.
CLCHOL_COMMAND names the program.
"""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

COMMAND = os.environ.get("CLCHOL_COMMAND", "clchol")

# The names that every JSON object has, on success and on failure.
NAMES = """matrix n nnz ordering nnz_l flops supernodes largest_front engine device threads precision
read_s order_s symbolic_s analyze_s setup_s factor_first_s factor_s refactor_s solve_s refine_s total_s
gflops refine_steps backward_error componentwise_error forward_error rcond peak_host_bytes
peak_device_bytes predicted_host_bytes predicted_device_bytes status message version""".split()

STATUS_OF_CODE = {
    0: {"ok"},
    2: {"usage"},
    3: {"bad_input"},
    4: {"not_positive_definite"},
    5: {"out_of_memory", "device_failure", "file_failure"},
    6: {"singular", "accuracy_not_reached"},
    7: {"interrupted"},
}


class Result:
    """How one run of the command ended."""

    def __init__(self, process, stdout, stderr):
        self.code = process.returncode
        self.stdout = stdout.decode("utf-8")
        self.stderr = stderr.decode("utf-8", "replace")

    @property
    def json(self):
        """The last line of stdout, parsed as the strict standard wants it."""

        def refuse(word):
            raise ValueError(f"{word} is no JSON")

        return json.loads(self.stdout.splitlines()[-1], parse_constant=refuse)


def let_signals_in():
    """Shells start background jobs with SIGINT ignored, which a child would inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class CommandTest(unittest.TestCase):
    """Gives each test a temporary folder, in which the command runs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def environment(self, extra):
        environment = {k: v for k, v in os.environ.items() if k != "CLCHOL_DEVICE"}
        # Kernel caches of OpenCL drivers must not be shared by processes that run at once.
        environment["POCL_CACHE_DIR"] = str(self.folder / "pocl")
        environment.update(extra or {})
        return environment

    def start(self, *arguments, env=None, stdout=subprocess.PIPE):
        return subprocess.Popen([COMMAND, *map(os.fspath, map(str, arguments))], cwd=self.folder,
                                env=self.environment(env), stdin=subprocess.DEVNULL,
                                stdout=stdout, stderr=subprocess.PIPE,
                                preexec_fn=let_signals_in)

    def run_command(self, *arguments, env=None, timeout=120):
        process = self.start(*arguments, env=env)
        try:
            return Result(process, *process.communicate(timeout=timeout))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"clchol {' '.join(map(str, arguments))} did not end")

    def solve(self, *arguments, **options):
        """`clchol solve ... --json`, with everything checked that holds for each such run."""
        result = self.run_command("solve", *arguments, "--json", **options)
        self.check_json(result)
        return result

    def check_json(self, result):
        self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)
        self.assertTrue(result.stdout.endswith("\n"))
        self.assertEqual([name for name in NAMES if name not in result.json], [])
        self.assertIn(result.json["status"], STATUS_OF_CODE.get(result.code, {}), result.stderr)
        if result.code == 0:
            self.assertEqual(result.stderr, "")
            self.assertEqual(result.json["message"], "")
        else:
            self.check_error(result)
            self.assertEqual(result.stderr, f"clchol: {result.json['message']}\n")

    def check_error(self, result):
        """Exactly one line on stderr."""
        self.assertTrue(result.stderr.startswith("clchol: "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertGreater(len(result.stderr), len("clchol: \n"))

    def expect_refusal(self, code, words, *arguments, **options):
        """A run that fails with `code` and a message that holds each of `words`; returns it."""
        result = self.solve(*arguments, **options)
        self.assertEqual(result.code, code, result.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, result.stderr)
        return result

    def names_in_folder(self):
        return sorted(p.name for p in self.folder.iterdir() if p.name != "pocl")

    # ---- files ----

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def write_matrix(self, name, n, entries, kind="coordinate real symmetric"):
        """entries: (row, column, value), zero-based."""
        lines = [f"%%MatrixMarket matrix {kind}", f"{n} {n} {len(entries)}"]
        lines += [f"{i + 1} {j + 1} {value!r}" for i, j, value in entries]
        return self.write(name, "\n".join(lines) + "\n")

    def write_vector(self, name, values):
        """One column, or a list of columns."""
        columns = values if values and isinstance(values[0], (list, tuple)) else [values]
        lines = ["%%MatrixMarket matrix array real general", f"{len(columns[0])} {len(columns)}"]
        lines += [str(value) for column in columns for value in column]
        return self.write(name, "\n".join(lines) + "\n")

    def read_vector(self, name):
        """All numbers of an array file, and its sizes."""
        lines = [line for line in (self.folder / name).read_text().splitlines()
                 if not line.startswith("%")]
        nrow, ncol = map(int, lines[0].split())
        values = [float(line) for line in lines[1:]]
        self.assertEqual(len(values), nrow * ncol)
        return values, nrow, ncol


# ---- matrices, as entries of the lower triangle ----


def diagonal(values):
    return [(i, i, value) for i, value in enumerate(values)]


def path(n, centre=2.0):
    """Tridiagonal: centre on the diagonal, -1 beside it."""
    return diagonal([centre] * n) + [(i + 1, i, -1.0) for i in range(n - 1)]


def grid(width, height, shift=0.0):
    """The 5-point Laplacian with walls, rows numbered along the width."""
    entries = []
    for i in range(width * height):
        entries.append((i, i, 4.0 + shift))
        if (i + 1) % width != 0:
            entries.append((i + 1, i, -1.0))
        if i + width < width * height:
            entries.append((i + width, i, -1.0))
    return entries


def dense(n):
    """n on the diagonal, 1 elsewhere, about: positive definite, and no two columns alike."""
    return [(i, j, float(n) if i == j else 1.0 / (1 + i - j)) for j in range(n) for i in range(j, n)]


def neumann(n):
    """The Laplacian of a path without supports: constant vectors are annulled."""
    degree = [1.0] + [2.0] * (n - 2) + [1.0]
    return diagonal(degree) + [(i + 1, i, -1.0) for i in range(n - 1)]


def multiply(n, lower, x):
    y = [0.0] * n
    for i, j, value in lower:
        y[i] += value * x[j]
        if i != j:
            y[j] += value * x[i]
    return y

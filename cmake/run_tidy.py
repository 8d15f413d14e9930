#!/usr/bin/env python3
"""clang-tidy over the sources of the repository, in parallel, with a memory of what was clean.

A source is looked at again when it, a header of ours that it includes, its compile command, the
configuration or clang-tidy's version changed: their hash names a marker file in the build folder.

Most sources are looked at in the batches in which a unity build compiles them: to parse the headers
of one source takes longer than to check it.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["base", "bench", "drop_in", "examples", "gpu_kernels", "include", "numeric", "ordering", "solver",
           "symbolic", "tests"]
# The first that does not look into the headers of others: it takes half the time.
TIDY = "clang-tidy-22"
# Its compiler.
CLANG = "clang++-22"
# Headers of others that most sources read: to parse them takes longer than to check most sources.
STANDARD_HEADERS = ["<algorithm>", "<array>", "<atomic>", "<cmath>", "<cstdint>", "<functional>",
                    "<limits>", "<map>", "<memory>", "<mutex>", "<numeric>", "<optional>", "<span>",
                    "<string>", "<string_view>", "<type_traits>", "<utility>", "<vector>"]
TEST_HEADERS = ["<gmock/gmock.h>", "<gtest/gtest.h>", "<random>", *STANDARD_HEADERS]


def members_of(path):
    """The sources that the compiler reads for a file: those of a unity build's batch, or the file."""
    if path.parent.name != "Unity":
        return [path]
    return [pathlib.Path(name) for name in re.findall(r'^#include "(.*)"$', path.read_text(), re.M)]


def is_ours(path):
    in_folders = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS
    return in_folders and path.suffix == ".cpp"


def our_sources(build):
    """A compile command for each file with C++ sources in our folders, generated ones left out.  A
    source that several targets compile is in one of these files at least."""
    commands = json.loads((build / "compile_commands.json").read_text())
    sources, seen = {}, set()
    for command in commands:
        path = pathlib.Path(command["file"])
        ours = {member for member in members_of(path) if is_ours(member)}
        if not ours <= seen:
            sources.setdefault(path, command)
            seen |= ours
    return sources


def write_database(build, sources):
    """A folder with these commands alone: clang-tidy looks at a file once for each that it has."""
    folder = build / "tidy-commands"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(list(sources.values())))
    return folder


def compiler_headers(command):
    """The folder with the headers of the command's compiler: clang-tidy comes without <omp.h>."""
    compiler = next(word for word in shlex.split(command["command"]) if word != "ccache")
    made = subprocess.run([compiler, "-print-resource-dir"], check=True, capture_output=True, text=True)
    return f"{made.stdout.strip()}/include"


def flags(command):
    """The words of the command without its compiler, source and output."""
    words = [word for word in shlex.split(command["command"]) if word != "ccache"]
    return tuple(words[1 : words.index("-o")])


def is_test(path):
    return members_of(path)[0].is_relative_to(ROOT / "tests")


def headers_of(path):
    return TEST_HEADERS if is_test(path) else STANDARD_HEADERS


def parsed_headers(sources, build, last_headers, pool):
    """(Flags, headers of others) of several sources -> file with these headers parsed.  Headers of
    ours are not among them: clang-tidy finds nothing in what was parsed before."""
    kinds = collections.Counter((flags(command), tuple(headers_of(path)))
                                for path, command in sources.items())
    shared = sorted(kind for kind, count in kinds.items() if count > 2)
    folder = build / "tidy-headers"
    folder.mkdir(exist_ok=True)

    def parse(kind):
        words, headers = kind
        header = folder / f"{shared.index(kind)}.hpp"
        header.write_text("".join(f"#include {name}\n" for name in headers))
        parsed = header.with_suffix(".pch")
        subprocess.run([CLANG, *words, f"-idirafter{last_headers}", "-x", "c++-header", str(header),
                        "-o", str(parsed)], cwd=build, check=True)
        return parsed

    return dict(zip(shared, pool.map(parse, shared)))


def dependencies(command):
    """The files of ours that the command's source reads, itself included."""
    words = [word for word in shlex.split(command["command"]) if word != "ccache"]
    output = words.index("-o")
    del words[output : output + 2]
    made = subprocess.run(words + ["-MM"], cwd=command["directory"], check=True,
                          capture_output=True, text=True).stdout
    names = made.replace("\\\n", " ").split(":", 1)[1].split()
    paths = {(pathlib.Path(command["directory"]) / name).resolve() for name in names}
    return sorted(path for path in paths if path.is_relative_to(ROOT))


def state(command, version):
    digest = hashlib.sha256(version + command["command"].encode())
    for path in [ROOT / ".clang-tidy", ROOT / "tests/.clang-tidy", *dependencies(command)]:
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_about_batch(finding, batch):
    """Whether a finding is about sources being included in a batch, not about the sources."""
    is_in_source = re.match(r"[^:]*[.]cpp:", finding) is not None
    return finding.startswith(str(batch)) or (is_in_source and "in-headers" in finding)


def check(path, command, build, database, version, last_headers, headers):
    """None when clean, else what clang-tidy said."""
    marker = None
    if "CI" not in os.environ:  # A build folder that is thrown away needs no memory.
        try:
            marker = build / "tidy" / state(command, version)
        except subprocess.CalledProcessError as error:
            return error.stderr
        if marker.exists():
            return None
    folders = "|".join(FOLDERS)
    parsed = headers.get((flags(command), tuple(headers_of(path))))
    result = subprocess.run(
        [TIDY, "--quiet", "-p", str(database), f"--extra-arg=-idirafter{last_headers}",
         *(["--extra-arg=-include-pch", f"--extra-arg={parsed}"] if parsed else []),
         *([f"--config-file={ROOT / 'tests/.clang-tidy'}"] if is_test(path) else []),
         f"--header-filter=^{re.escape(str(ROOT))}/({folders})/.*[.][ch]pp$", str(path)],
        capture_output=True, text=True)
    said = "\n".join(block for block in re.split(r"\n(?=/)", result.stdout.strip())
                     if is_ours(path) or not is_about_batch(block, path))
    if not said and (result.returncode == 0 or result.stdout.strip()):
        if marker:
            marker.parent.mkdir(parents=True, exist_ok=True)
            marker.touch()
        return None
    return said or result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()

    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    sources = our_sources(arguments.build)
    database = write_database(arguments.build, sources)
    last_headers = compiler_headers(next(iter(sources.values())))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        headers = parsed_headers(sources, arguments.build, last_headers, pool)
        findings = list(pool.map(
            lambda item: check(*item, arguments.build, database, version, last_headers, headers),
            sources.items()))
    failures = [text for text in findings if text is not None]
    # A header's finding comes up in every source that includes it.
    seen = dict.fromkeys(block for text in failures for block in re.split(r"\n(?=/)", text))
    print("\n".join(seen), end="\n" if seen else "")
    count = len({member for path in sources for member in members_of(path) if is_ours(member)})
    print(f"clang-tidy: {count} sources in {len(findings)} files, {len(failures)} with findings",
          file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

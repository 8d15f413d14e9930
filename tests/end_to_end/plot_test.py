#!/usr/bin/env python3
"""Drawings and traces: `clchol plot`, `clchol solve --trace`."""

import base64
import gzip
import json
import re
import struct
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

from command_support import CommandTest, diagonal, grid, path

SVG = "{http://www.w3.org/2000/svg}"
PHASES = ["make", "order", "symbolic", "set up", "factor", "condition", "solve", "refine"]


class PlotTest(CommandTest):
    def plot(self, *arguments, **options):
        result = self.run_command("plot", *arguments, **options)
        if "--json" in arguments:
            self.check_json(result)
        return result

    def drawn(self, *arguments):
        """A run that succeeds, and its drawing, parsed: well-formed, without scripts, closed."""
        result = self.plot(*arguments)
        self.assertEqual((result.code, result.stderr), (0, ""))
        text = (self.folder / arguments[arguments.index("-o") + 1]).read_bytes()
        root = ElementTree.fromstring(text)
        self.assertEqual(root.tag, SVG + "svg")
        self.assertTrue(root.find(SVG + "title").text)
        used = {element.tag.removeprefix(SVG) for element in root.iter()}
        self.assertLessEqual(used, {"svg", "title", "rect", "line", "polyline", "text", "image"})
        for word in [b"nan", b"inf\"", b"http://"]:
            self.assertNotIn(word, text.replace(b"http://www.w3.org/2000/svg", b""))
        self.check_inside(root)
        return root

    def check_inside(self, root):
        width, height = float(root.get("width")), float(root.get("height"))
        for rect in root.iter(SVG + "rect"):
            x, y, w, h = (float(rect.get(name)) for name in ["x", "y", "width", "height"]) \
                if rect.get("x") else (0, 0, width, height)
            self.assertGreaterEqual(min(x, y, w, h), 0)
            self.assertLessEqual(x + w, width + 0.02)
            self.assertLessEqual(y + h, height + 0.02)

    def words(self, root):
        return [text.text for text in root.iter(SVG + "text")]

    def refused(self, code, words, *arguments):
        result = self.plot(*arguments)
        self.assertEqual(result.code, code, result.stderr)
        self.check_error(result)
        for word in words:
            self.assertIn(word, result.stderr)


def pixels_of(image):
    """Rows of palette positions of an embedded PNG."""
    data = base64.b64decode(image.get("href").removeprefix("data:image/png;base64,"), validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    position, packed = 8, b""
    while position < len(data):
        length, = struct.unpack(">I", data[position:position + 4])
        if data[position + 4:position + 8] == b"IDAT":
            packed += data[position + 8:position + 8 + length]
        position += 12 + length
    rows = zlib.decompress(packed)
    return [rows[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)]


class Spy(PlotTest):
    def test_small_matrix_entry_by_entry(self):
        self.write_matrix("A.mtx", 4, path(4))
        root = self.drawn("A.mtx", "-o", "out.svg", "--ordering", "natural")
        images = list(root.iter(SVG + "image"))
        self.assertEqual(len(images), 2)
        rows = pixels_of(images[0])
        step = len(rows) // 4
        pattern = [[rows[r * step][c * step] != 0 for c in range(4)] for r in range(4)]
        self.assertEqual(pattern, [[abs(r - c) <= 1 for c in range(4)] for r in range(4)])

    def test_title_and_numbers(self):
        root = self.drawn("grid2d:30", "-o", "out.svg")
        words = " ".join(self.words(root))
        for word in ["grid2d:30", "A as given", "n = 900", "nnz(L) = "]:
            self.assertIn(word, words)

    def test_large_matrix_is_a_small_drawing(self):
        self.drawn("grid2d:300", "-o", "out.svg")
        self.assertLess((self.folder / "out.svg").stat().st_size, 200_000)

    def test_same_bytes_from_any_number_of_threads(self):
        drawings = set()
        for threads in [1, 3]:
            self.drawn("grid3d:8", "-o", "out.svg", "--threads", threads)
            drawings.add((self.folder / "out.svg").read_bytes())
        self.assertEqual(len(drawings), 1)

    def test_one_row_and_diagonal(self):
        for n in [1, 3]:
            self.write_matrix("A.mtx", n, diagonal([2.0] * n))
            self.drawn("A.mtx", "-o", "out.svg")

    def test_saved_analysis_and_permutation(self):
        self.write_matrix("A.mtx", 36, grid(6, 6))
        self.run_command("analyze", "A.mtx", "--save-analysis", "a", "--write-permutation", "p.mtx")
        self.drawn("A.mtx", "-o", "one.svg", "--analysis", "a")
        self.drawn("A.mtx", "-o", "two.svg", "--ordering", "p.mtx")

    def test_name_with_markup(self):
        self.write_matrix("A<&>.mtx", 3, path(3))
        root = self.drawn("A<&>.mtx", "-o", "out.svg")
        self.assertIn("A<&>.mtx", self.words(root))


class Tree(PlotTest):
    def test_numbers(self):
        report = self.run_command("analyze", "grid2d:40", "--json").json
        root = self.drawn("grid2d:40", "-o", "out.svg", "--what", "tree")
        words = " ".join(self.words(root))
        for word in ["n = 1,600", f"nnz(L) = {report['nnz_l']:,}", f"{report['supernodes']:,} fronts",
                     f"height {report['tree_height']}", "critical path"]:
            self.assertIn(word, words)

    def test_many_fronts_are_few_rectangles(self):
        root = self.drawn("grid2d:200", "-o", "out.svg", "--what", "tree")
        # 500, the legend, and the outlines of the critical path.
        self.assertLess(len(list(root.iter(SVG + "rect"))), 800)

    def test_forest(self):
        self.write_matrix("A.mtx", 2000, diagonal([1.0] * 2000))
        self.drawn("A.mtx", "-o", "out.svg", "--what", "tree")


class Traces(PlotTest):
    def traced(self, *arguments):
        result = self.solve(*arguments, "--trace", "t.json")
        self.assertEqual(result.code, 0, result.stderr)
        trace = json.loads((self.folder / "t.json").read_text())
        return result.json, [e for e in trace["traceEvents"] if e["ph"] == "X"]

    def test_phases_of_a_run(self):
        report, events = self.traced("grid2d:60")
        self.assertEqual([event["name"] for event in events], PHASES)
        for before, event in zip(events, events[1:]):
            # Times are rounded to nanoseconds.
            self.assertGreaterEqual(event["ts"] + 0.01, before["ts"] + before["dur"])
        self.assertGreaterEqual(events[0]["ts"], 0)
        self.assertLessEqual((events[-1]["ts"] + events[-1]["dur"]) / 1e6, report["total_s"])
        seconds = {event["name"]: event["dur"] / 1e6 for event in events}
        for name in ["order", "symbolic", "factor", "solve", "refine", "condition"]:
            self.assertAlmostEqual(seconds[name], report[f"{name}_s"], delta=1e-9)

    def test_each_repetition_is_an_event(self):
        _, events = self.traced("grid2d:20", "--repeat", "3", "--no-condition")
        names = [event["name"] for event in events]
        self.assertEqual((names.count("factor"), names.count("solve")), (6, 3))
        self.assertNotIn("condition", names)

    def test_file_is_read_and_solution_written(self):
        self.write_matrix("A.mtx", 3, path(3))
        _, events = self.traced("A.mtx", "-o", "x.mtx")
        self.assertEqual((events[0]["name"], events[-1]["name"]), ("read", "write"))

    def test_trace_is_drawn(self):
        self.traced("grid2d:60")
        root = self.drawn("t.json", "-o", "out.svg")
        words = self.words(root)
        for word in ["t.json", "host", "phases", "time, ms", "factor"]:
            self.assertIn(word, words)

    def test_compressed_trace(self):
        result = self.solve("grid2d:5", "--trace", "t.json.gz")
        self.assertEqual(result.code, 0, result.stderr)
        json.loads(gzip.decompress((self.folder / "t.json.gz").read_bytes()))
        self.drawn("t.json.gz", "-o", "out.svg")

    def test_trace_of_another_program(self):
        self.write("other", '[{"ph":"X","name":"a","ts":5e6,"dur":2,"pid":7,"tid":"main"}]')
        root = self.drawn("other", "-o", "out.svg", "--what", "timeline")
        self.assertIn("thread main", self.words(root))

    def test_unwritable_trace_is_found_before_the_work(self):
        self.expect_refusal(2, ["nowhere/t.json"], "missing.mtx", "--trace", "nowhere/t.json")
        self.expect_refusal(2, ["--trace", "same file"], "grid2d:3", "--trace", "x", "-o", "x")

    def test_failed_run_leaves_no_trace(self):
        self.write_matrix("A.mtx", 2, diagonal([1.0, -1.0]))
        self.expect_refusal(4, ["row 2"], "A.mtx", "--trace", "t.json")
        self.assertEqual(self.names_in_folder(), ["A.mtx"])


class Command(PlotTest):
    def test_one_line_tells_what_was_written(self):
        for arguments, start in [(["grid2d:9"], "out.svg: spy of grid2d:9, "),
                                 (["grid2d:9", "--what", "tree"], "out.svg: tree of grid2d:9, ")]:
            result = self.plot(*arguments, "-o", "out.svg")
            self.assertEqual((result.code, result.stderr), (0, ""))
            self.assertRegex(result.stdout, "^" + re.escape(start) + "[0-9.]+ k?B\n$")

    def test_quiet(self):
        result = self.plot("grid2d:9", "-o", "out.svg", "--quiet")
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))

    def test_json(self):
        j = self.plot("grid2d:9", "-o", "out.svg", "--what", "tree", "--json").json
        self.assertEqual((j["command"], j["drawing"], j["output"]), ("plot", "tree", "out.svg"))
        self.assertEqual((j["matrix"], j["n"]), ("grid2d:9", 81))
        self.assertEqual(j["output_bytes"], (self.folder / "out.svg").stat().st_size)
        self.assertIsNone(j["factor_s"])

    def test_compressed_drawing(self):
        self.assertEqual(self.plot("grid2d:9", "-o", "out.svg.gz").code, 0)
        ElementTree.fromstring(gzip.decompress((self.folder / "out.svg.gz").read_bytes()))

    def test_bad_input(self):
        self.write("bad.mtx", "<html>\n")
        self.write("bad.json", "{")
        self.write("empty.json", '{"traceEvents":[]}')
        for name, words in [("missing.mtx", ["No such file"]), ("bad.mtx", ["HTML"]),
                            ("missing.json", ["No such file"]), ("bad.json", ["no trace"]),
                            ("empty.json", ["no complete events"])]:
            with self.subTest(name=name):
                self.refused(3, [name, *words], name, "-o", "out.svg")
        self.assertNotIn("out.svg", self.names_in_folder())

    def test_bad_usage(self):
        for arguments, words in [(["grid2d:3"], ["-o", "--help"]),
                                 (["-o", "out.svg"], ["IN", "--help"]),
                                 (["grid2d:3", "-o", "out.pdf"], ["out.pdf", ".svg"]),
                                 (["grid2d:3", "-o", "out.svg", "--what", "bars"], ["bars", "spy"]),
                                 (["grid2d:0", "-o", "out.svg"], ["grid2d:0"]),
                                 (["grid2d:3", "-o", "nowhere/out.svg"], ["nowhere/out.svg"]),
                                 (["grid2d:3", "-o", "out.svg", "--ordering", "best"], ["best"])]:
            with self.subTest(arguments=arguments):
                self.refused(2, words, *arguments)
        self.assertEqual(self.names_in_folder(), [])

    def test_input_is_not_overwritten(self):
        self.write("A.svg", "x")
        self.refused(2, ["-o", "same file"], "A.svg", "-o", "./A.svg")

    def test_full_disk(self):
        self.refused(2, ["/dev/full", "No space"], "grid2d:9", "-o", "/dev/full")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Every command that a page of the docs shows runs: lines of blocks, in the order of the page, and `ordo ...` within sentences. The tutorials
have a test of their own (tests/install/tutorial_test.py). usage: examples_test.py ORDO [unittest arguments]"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import command
from command import ORDO, ordo

root = pathlib.Path(command.TREE)
PAGES = [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted((root / "docs" / "gallery").glob("*.md"))]
ELSEWHERE = {"tutorial.md", "tutorial_gpu.md"}
# what words in capitals stand for
MEANT = {"APP": "sssp", "GRAPH": "road.ordo", "NAME": "delta", "SCHEDULER": "delta", "IN": "road.ordo", "OUT": "out.ordo", "FILE": "out.gr",
         "KIND": "grid --width 9 --height 9 --weights uniform:1:9", "...": ""}
# the same command in less time; a build that the test does not have
SHORTER = [(r"--for \d+[sm]", "--for 1s"), (r"--sources \d+", "--sources 4"), (r"^ordo (run|check-operator) FILE", r"ordo \1 tolls.c"), (r"^build-ablation/ordo .*", ""), (r"build/ordo", "ordo"),
           (r"--points \d\d\d+", "--points 500"), (r"--vertices \d{5,}", "--vertices 2000"), (r"-g 12\b", "-g 8"),
           (r"^ordo compare (?!.*--repeat)", "ordo compare --repeat 2 "), (r"^ordo bench lock-transfer\b.*", r"\g<0> --operations 2K"), (r"^ordo bench queue\b.*", r"\g<0> --operations 20K")]


def commands(text):
    """[(line number, command)]; in a sentence, `ordo` with a verb alone is a name, not a command."""
    found, fence = [], None
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"```(\w*)", line)
        if mark:
            fence = None if fence is not None else mark[1]
            continue
        block = line if fence in ("sh", "console", "text", "") else line[4:] if fence is None and line.startswith("    ") else ""
        if re.match(r"(build/)?ordo [a-z]", block):
            found.append((number, re.sub(r"\s+#\s.*", "", block)))
        elif not block and fence is None:
            found += [(number, span) for span in re.findall(r"`(ordo [a-z][^`]*)`", line) if len(span.split()) > 2]
    return found


class Examples(unittest.TestCase):
    measured = set()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        base = pathlib.Path(cls.folder.name) / "base"
        base.mkdir()
        for words in (["generate", "road", "--vertices", 500, "--seed", 1, "-o", "road.gr"], ["convert", "road.gr", "road.ordo"],
                      ["convert", "road.gr", "road.gr.xz"], ["convert", "road.gr", "road.gr.gz"],
                      ["generate", "rmat", "--scale", 8, "--seed", 1, "--weights", "uniform:1:255", "-o", "rmat.ordo"], ["convert", "rmat.ordo", "rmat.wsg"],
                      ["compare", "sssp", "road.ordo", "--schedulers", "delta,bsp", "--repeat", 2, "--save", "other.jsonl"],
                      ["compare", "sssp", "road.ordo", "--schedulers", "delta,bsp", "--repeat", 2, "--save", "runs.jsonl"]):
            run = ordo(*words, cwd=base)
            assert run.returncode == 0 or "was built without" in run.err, run.err  # such as xz; commands that need it fail
        for operator in [*(root / "tests" / "cli" / "operators").glob("*.c"), *(root / "operators" / "gallery").glob("*.h")]:
            shutil.copy(operator, base)
        cls.base = base
        bin = pathlib.Path(cls.folder.name) / "bin"
        bin.mkdir()
        (bin / "ordo").symlink_to(ORDO)
        cls.env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "ORDO_CACHE": f"{cls.folder.name}/cache", "PYTHONPATH": str(root / "python"),
                   "CC": command.quick_compiler(cls.folder.name)}
        draws = subprocess.run([os.environ.get("ORDO_PYTHON", "python3"), "-c", "import matplotlib, numpy, plotly"], stderr=subprocess.DEVNULL, check=False)
        cls.draws = draws.returncode == 0
        run = ordo("sssp", "road.gr", "--device", "cuda", cwd=base)
        cls.gpu = run.returncode == 0

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def page(self, page):
        work = pathlib.Path(self.folder.name) / page.stem
        shutil.copytree(self.base, work)
        text = page.read_text()
        for name in ("mine", "my_operator"):
            if f"ordo new operator {name}" not in text:
                shutil.copy(work / "tolls.c", work / f"{name}.c")
        for number, shown in commands(text):
            text = shown
            for pattern, other in SHORTER:
                text = re.sub(pattern, other, text)
            for word, other in MEANT.items():
                text = re.sub(rf"(?<![\w-]){re.escape(word)}(?!\w)", other, text)
            if text in self.measured:
                continue
            if re.fullmatch(r"ordo bench [\w -]+", text):  # the same everywhere, and it reads no file
                self.measured.add(text)
            with self.subTest(line=number, command=shown):
                run = subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=work, env=self.env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
                if re.match("ordo (report|plot)", text) and not self.draws:
                    self.assertEqual(run.returncode, 3, run.stdout[-600:])
                    continue
                expected = (0,) if self.gpu or not re.search(r"--device (\w+,)*cuda", text) else (5,)
                self.assertIn(run.returncode, expected, run.stdout[-600:])

    @unittest.skipUnless(os.environ.get("EXAMPLE_PROGRAMS"), "needs the folder of the built examples")
    def test_program_of_comparing(self):
        program = pathlib.Path(os.environ["EXAMPLE_PROGRAMS"]) / "compare_example"
        run = subprocess.run([program, self.base / "road.ordo"], stdout=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(run.returncode, 0)
        row = r"\w+: \d+\.\d{3} ms, \d+\.\d\d times as fast as bsp \((?:\?|no difference|faster|slower)\)\n"
        self.assertRegex(run.stdout, f"^({row}){{3}}$")
        self.assertTrue(run.stdout.startswith("bsp: ") and "1.00 times as fast as bsp (?)" in run.stdout, run.stdout)

    def test_commands_are_found(self):
        text = "see `ordo info`, `ordo info a.gr`:\n\n    build/ordo sssp a.gr  # comment\n\n```sh\nordo bfs b.gr\n```\n```c\nordo c;\n```\n"
        self.assertEqual(commands(text), [(1, "ordo info a.gr"), (3, "build/ordo sssp a.gr"), (6, "ordo bfs b.gr")])
        self.assertGreater(sum(len(commands(p.read_text())) for p in PAGES), 25)


for each in PAGES:
    if each.name not in ELSEWHERE and any(" " in c.strip()[5:] or "build/" in c for _, c in commands(each.read_text())):
        setattr(Examples, f"test_{each.stem.lower()}", lambda self, page=each: self.page(page))

if __name__ == "__main__":
    unittest.main(verbosity=1)

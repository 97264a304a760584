#!/usr/bin/env python3
"""tools/paper: experiments run on small graphs, say what the paper has, and keep what they are asked to keep.
usage: paper_test.py PATH_OF_ORDO [unittest arguments]"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

from command import ORDO, TREE, Base, main, needs


@needs("bench")
class Paper(Base):
    def paper(self, *words):
        env = {k: v for k, v in os.environ.items() if k != "ORDO_DATA"}
        done = subprocess.run([sys.executable, str(pathlib.Path(TREE) / "tools" / "paper"), *map(str, words)], capture_output=True, text=True, env=env)
        return done.returncode, done.stdout, done.stderr

    def small(self, *words):
        return self.paper(*words, "--build", pathlib.Path(ORDO).resolve().parent, "--scale", 7, "--repeat", 1, "--threads", 2)

    def test_list(self):
        status, out, _ = self.paper("list")
        self.assertEqual(status, 0)
        self.assertEqual(len(re.findall(r"(?m)^00[012]-(?:table|figure)-\S+ +\S", out)), len(out.splitlines()))

    def test_traffic(self):
        """By a profiler that says what ncu says: the command's own lines, then a table of two kernels."""
        status, text, err = self.small("002-figure-8")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("Not run: counters of memory traffic need a GPU (--device cuda) and Nsight Compute (ncu)\n", text)
        sys.path.insert(0, str(pathlib.Path(TREE) / "tools"))
        from paper_parts import runs
        ncu = pathlib.Path(self.path("ncu"))
        metrics = ",".join(f'"{m}"' for m in [*runs.L2, *runs.DRAM])
        ncu.write_text(f"""#!/bin/sh
cat <<'END'
==PROF== Connected to process 1
  32  1.5 "words"
"ID","Kernel Name",{metrics}
"","",{",".join(['"sector"'] * 6)}
"0","one",{",".join(f'"{k}"' for k in (1, 2, 3, 4, 5, 6))}
"1","two",{",".join(f'"{k}"' for k in ("1,000", 0, 0, 0, 0, 1))}
END
""")
        ncu.chmod(0o755)
        args = argparse.Namespace(build=pathlib.Path(ORDO).resolve().parent, device="cuda", scale=7, repeat=1, threads=1)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{ncu.parent}:{path}"
        try:
            lab = runs.Lab(args)
            lab.machine = {"cores": 1, "cpu": "x"}
            self.assertEqual(lab.traffic("bench", "ht"), (32 * 1010, 32 * 12))
            ncu.write_text("#!/bin/sh\necho no counters here >&2\nexit 3\n")
            with self.assertRaisesRegex(runs.Failed, "no counters here"):
                lab.traffic("bench", "ht")
        finally:
            os.environ["PATH"] = path

    def test_refusals(self):
        status, _, err = self.paper("003-figure-1")
        self.assertEqual((status, len(err.splitlines())), (2, 1))
        self.assertIn("no experiment has that in its name", err)
        status, _, err = self.paper("002-table-3", "--build", self.path("nowhere"))
        self.assertEqual(status, 1)
        self.assertIn("is not there; build it first", err)

    def test_tables(self):
        out = pathlib.Path(self.path("out"))
        status, text, err = self.small("000-figure-5.11", "000-figure-5.12", "001", "002-figure-9", "--out", out)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(len(re.findall(r"(?m)^\*\*(?:Reproduced|Not reproduced|Undecided)\.\*\* ", text)), 6)
        self.assertRegex(text, r"(?m)^\| road-7 \| \d+ \| [\d.]+% \| [\d.]+% \| \d+% \|$")
        self.assertRegex(text, r"(?m)^\| road-7 for A.road-USA \| [\d.]+ \| 3.09 \| [\d.]+ \| 0.19 \|")
        kept = json.loads((out / "000-figure-5.11.json").read_text())
        rows = kept["tables"][0][2]
        self.assertEqual([r[0] for r in rows], ["road-7", "grid-7", "mesh-7", "rmat-7", "urand-7", "cliques-7"])
        points = kept["figure"][0]["series"][0]  # not rounded: a run that stalls makes a speed-up of 0.00 in the table
        self.assertEqual(len(points["x"]), len(rows))
        self.assertTrue(all(v > 0 for v in [*points["x"], *points["y"]]), points)
        self.assertTrue(any(c.startswith("ordo compare sssp road-7.ordo --schedulers adds,near_far") for c in kept["commands"]), kept["commands"])
        plain = re.findall(r"(?m)^\| ht-256 \| 1.00 \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", text)
        self.assertGreater(float(plain[0][2]), float(plain[0][0]))  # a loop of 16 times the length takes longer


if __name__ == "__main__":
    main()

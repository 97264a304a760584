#!/usr/bin/env python3
"""Records of runs, against docs/schema.json. usage: json_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import subprocess

from command import APPS, ORDO, TREE, Base, check_schema, general_schedulers, main, needs, ordo, schedulers, verbs
from references import INF


@needs("sssp")
class Json(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(TREE, "docs", "schema.json")) as f:
            cls.schema = json.load(f)

    def valid(self, text, count):
        records = [json.loads(line, parse_constant=self.fail) for line in text.splitlines()]
        self.assertEqual(len(records), count)
        for record in records:
            self.assertEqual(check_schema(record, self.schema, self.schema), [])
        return records

    def test_checker_finds_faults(self):
        record = json.loads(ordo("sssp", self.gr, "--json", "-").out)
        for change in ({"extra": 1}, {"source": "x"}, {"schema": 2}, {"kind": "other"}, {"counts": {}}):
            self.assertNotEqual(check_schema({**record, **change}, self.schema, self.schema), [])
        del record["graph"]
        self.assertNotEqual(check_schema(record, self.schema, self.schema), [])

    def test_every_app_and_scheduler(self):
        for app in APPS:
            for name in schedulers() if app in ("sssp", "bfs", "cc", "widest") else general_schedulers() if app not in ("lp", "hits") else ["bsp"]:
                r = self.ok(ordo(app, self.gr, "--scheduler", name, "--json", "-", "-v", "-n", 2, "--trace-json"))
                for record in self.valid(r.out, 2):
                    self.assertIs(record["verified"], True)
                    self.assertEqual(record["options"]["scheduler"], name)
                    self.assertEqual(record["app"], app)
                    self.assertEqual(record["source"] is None, app not in ("sssp", "bellman-ford", "bfs", "widest"))
        for words in ([], *(["--scheduler", name] for name in [*general_schedulers(), "native"])):
            r = self.ok(ordo("maxflow", "--generate", "rlg --width 9 --height 9 --weights uniform:1:9", "--json", "-", "-v", "-n",
                             2, "--trace-json", "--phase", "cut", "--infinite", 77, *words))
            for record in self.valid(r.out, 2):
                self.assertIs(record["verified"], True)
                self.assertEqual(record["options"]["scheduler"], words[1] if words else "native")
                self.assertEqual(record["operator"], "maxflow" if record["options"]["scheduler"] == "native" else "discharge")
                self.assertEqual((record["options"]["phase"], record["options"]["infinite"]), ("cut", 77))

    def test_what_it_says(self):
        file = self.path("run.json")
        words = ["sssp", self.gr, "-r", str(self.source), "--threads", "2", "--set", "chain=9", "--json", file]
        self.ok(ordo(*words))
        with open(file) as f:
            (record,) = self.valid(f.read(), 1)
        reached = [d for d in self.dist if d < INF]
        self.assertEqual(record["result"], {"reached": len(reached), "max": max(reached), "sum": sum(reached)})
        self.assertEqual(record["command"][1:], words)
        self.assertEqual((record["graph"]["vertices"], record["graph"]["edges"]), (self.n, len(self.edges)))
        self.assertEqual((record["graph"]["id_base"], record["source"]), (1, self.source))
        self.assertEqual(record["graph"]["weight"]["max"], max(w for _, _, w in self.edges))
        self.assertEqual((record["options"]["threads"], record["options"]["settings"]["chain"]), (2, 9))
        self.assertIsNone(record["verified"])
        self.assertIsNone(record["seconds"]["verify"])
        self.assertIsNone(record["options"]["limit"])
        self.assertIsNone(record["seed"])
        self.assertNotIn("trace", record)
        self.assertIsNotNone(json.loads(ordo("sssp", self.gr, "--json", "-").out)["seed"])

    def test_auto_says_why(self):
        def options(*words):
            (record,) = self.valid(self.ok(ordo(*words, self.gr, "--json", "-", "-v")).out, 1)
            self.assertIs(record["verified"], True)
            return record["options"]

        for app in ("sssp", "bfs", "cc", "mst"):
            auto = options(app, "--scheduler", "auto")
            self.assertRegex(auto["chosen"], "mean degree" if app != "cc" else "cc's program")
            self.assertIn(auto["scheduler"], ("bsp", "delta") if app != "cc" else ("native",))  # by the graph
            self.assertIsNone(options(app, "--scheduler", "bsp")["chosen"])
        # a sync or a setting decides among those that have it; a setting for one scheduler does not
        for words, expected in ((("--sync", "racy"), ("topology", "racy")), (("--sync", "server"), ("lock_server", "server")),
                                (("--set", "concurrent_max=2"), ("adds", "atomic")), (("--set", "direction=pull"), ("topology", "racy")),
                                (("--set", "adds.concurrent_max=2"), ("delta", "atomic"))):
            found = options("sssp", "--scheduler", "auto", *words)
            self.assertEqual((found["scheduler"], found["sync"]), expected, words)
        self.refused(2, "no scheduler has a tunable 'speed'", "sssp", self.gr, "--scheduler", "auto", "--set", "speed=1")
        self.refused(2, "no scheduler can run 'sssp_u32' as asked", "sssp", self.gr, "--scheduler", "auto", "--sync", "owner")

    def test_native(self):
        """An app's own program: by name, with a row of its own; refused by those that have none."""
        flow = self.path("flow.max")
        self.ok(ordo("generate", "rlg", "--width", 9, "--height", 9, "--weights", "uniform:1:9", "-o", flow))
        out = self.ok(ordo("compare", "maxflow", flow, "-n", 2, "--json", self.path("native.json"))).out
        self.assertRegex(out, r"(?m)^[ *] native +none .* PASS$")
        with open(self.path("native.json")) as f:
            rows = [json.loads(line) for line in f]
        self.assertEqual({r["options"]["sync"] for r in rows if r["options"]["scheduler"] == "native"}, {"none"})
        self.assertEqual({r["operator"] for r in rows}, {"maxflow", "discharge"})
        self.assertRegex(self.ok(ordo("compare", "maxflow", flow, "-n", 1, "--sync", "lock")).out,
                         "native cannot run: the program of 'maxflow' offers no sync")
        self.assertNotIn("native", self.ok(ordo("compare", "mst", self.gr, "-n", 1)).out)  # has one on a GPU alone
        for app in ("mst", "kcore"):
            self.refused(2, f"'{app}' has a program of its own on a GPU alone", app, self.gr, "--scheduler", "native")
        for app in ("sssp", "bfs", "widest", "pagerank"):
            self.refused(2, "has no program of its own to be 'native'", app, self.gr, "--scheduler", "native")
        self.assertIn("maxflow", self.ok(ordo("help", "native")).out)
        self.assertRegex(self.ok(ordo("schedulers")).out, r"--scheduler native:\n  cc .*\(cpu, cuda\)\n  mst .*\(cuda\)\n  maxflow .*\(cpu, cuda\)\n")
        offered = self.ok(ordo("complete", "--", "maxflow", "--scheduler", "n")).out.split()
        self.assertEqual(offered, ["near_far", "native"])
        self.assertEqual(self.ok(ordo("complete", "--", "compare", "maxflow", "--schedulers", "nat")).out.split(), ["native"])
        self.assertEqual(self.ok(ordo("complete", "--", "sssp", "--scheduler", "nat")).out, "")

    def test_bsp_pulls_where_the_frontier_explodes_and_only_there(self):
        def edges(kind):
            words = ("bfs", "--generate", kind, "--source", "5", "--scheduler", "bsp", "--threads", "2", "--json", "-", "-v")
            (record,) = self.valid(self.ok(ordo(*words)).out, 1)
            self.assertIs(record["verified"], True)
            return record["counts"]["edges"] / record["graph"]["edges"]

        self.assertEqual(edges("mesh --width 30 --height 30 --depth 30"), 1)  # each edge once: pushed
        self.assertLess(edges("urand --scale 14 --degree 16"), 0.5)

    def test_replaces_the_old_file_whole(self):
        file = self.path("again.json")
        self.ok(ordo("sssp", self.gr, "-n", 3, "--json", file))
        self.ok(ordo("sssp", self.gr, "-n", 2, "--json", file))
        with open(file) as f:
            self.valid(f.read(), 2)
        self.ok(ordo("sssp", "/no/such/graph", "--json", file), 3)
        with open(file) as f:
            self.valid(f.read(), 2)

    def test_follows_links_and_keeps_permissions(self):
        file, link = self.path("real.json"), self.path("link.json")
        with open(file, "w"):
            os.chmod(file, 0o640)
        os.symlink("real.json", link)
        self.ok(ordo("sssp", self.gr, "--json", link))
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.stat(file).st_mode & 0o777, 0o640)
        with open(file) as f:
            self.valid(f.read(), 1)

    def test_fault_names(self):
        name = os.path.join(os.fsencode(self.folder.name), b"a \"b\" \xff\xc3\xa9.wel")
        with open(name, "wb") as f:
            f.write(b"0 1 2\n")
        r = subprocess.run([ORDO, "sssp", name, "--json", "-"], stdout=subprocess.PIPE)
        self.assertEqual(r.returncode, 0)
        self.valid(r.stdout.decode(), 1)

    def test_info(self):
        if "info" not in verbs():
            self.skipTest("no verb info")
        (record,) = self.valid(self.ok(ordo("info", self.gr, "--json", "-")).out, 1)
        self.assertEqual(set(record["memory"]), {*APPS, "maxflow"})

    def test_compare(self):
        if "compare" not in verbs():
            self.skipTest("no verb compare")
        names = schedulers()
        r = self.ok(ordo("compare", "sssp", self.gr, "-n", 2, "--json", "-"))
        records = self.valid(r.out, 2 * len(names))
        for half in records[:len(names)], records[len(names):]:  # in rounds
            self.assertEqual(sorted(x["options"]["scheduler"] for x in half), sorted(names))
        self.assertEqual([x["trial"] for x in records], [1] * len(names) + [2] * len(names))
        self.assertEqual({json.dumps(x["result"]) for x in records}, {json.dumps(records[0]["result"])})
        self.assertTrue(all(x["verified"] is True for x in records))
        r = self.ok(ordo("compare", "cc", self.gr, "-n", 1, "--json", "-", "--no-verify"))
        self.assertTrue(all(json.loads(l)["verified"] is None for l in r.out.splitlines()))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Words, options, help and hints: what is taken and what is refused before anything runs. usage: options_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import re

from command import APPS, Base, main, needs, ordo, schedulers, verbs


@needs("help")
class Words(Base):
    def test_usage(self):
        r = ordo()
        self.assertEqual((r.returncode, r.out), (2, ""))
        self.assertIn("Usage", r.err)
        for words in (["--help"], ["-h"], ["help"]):
            self.assertIn("Usage", self.ok(ordo(*words)).out)
        for word in ("--version", "version"):
            self.assertRegex(self.ok(ordo(word)).out, r"^ordo \S+ \(commit \S+\)\n$")

    def test_help_of_every_verb(self):
        for verb in sorted(verbs()):
            self.assertIn("Usage: ordo " + verb, self.ok(ordo("help", verb)).out)
            self.assertIn("Usage: ordo " + verb, self.ok(ordo(verb, "--help")).out)
            self.assertIn("ordo ", self.ok(ordo(verb, "--version")).out)

    def test_help_of_every_scheduler_lists_its_tunables(self):
        found = schedulers()
        self.assertIn("delta", found)
        for name in found:
            text = self.ok(ordo("help", name)).out
            record = json.loads(self.ok(ordo("sssp", self.gr, "--scheduler", name, "--json", "-")).out)
            for tunable, value in record["options"]["settings"].items():
                self.assertRegex(text, rf"(?m)^  {tunable}=\S+ ")
                # what was used is what --set takes
                self.ok(ordo("sssp", self.gr, "--scheduler", name, "--set", f"{tunable}={value}", "--verify"))
        self.assertRegex(ordo("help", "delta").out, r"delta=0 .*number: 0 to")

    def test_help_of_every_operator(self):
        names = re.findall(r"^(\w+):", self.ok(ordo("operators")).out, re.M)
        self.assertIn("sssp_u32", names)
        for name in names:
            self.assertIn(name + ": ", self.ok(ordo("help", name)).out)

    def test_unknown_names(self):
        self.refused(2, "'ssps' is unknown; did you mean 'sssp'", "ssps", self.gr)
        self.refused(2, "'dleta' is unknown; did you mean 'delta'", "sssp", self.gr, "--scheduler", "dleta")
        self.refused(2, "did you mean '--scheduler'", "sssp", self.gr, "--schedular", "delta")
        self.refused(2, "'-Z' is unknown", "sssp", self.gr, "-Z")
        self.refused(2, "sync 'atomc'", "sssp", self.gr, "--sync", "atomc")
        self.refused(2, "did you mean 'cuda'", "sssp", self.gr, "--device", "cdua")
        self.refused(2, "'nothing_like_it' is unknown", "help", "nothing_like_it")
        self.refused(2, "'nothing_like_it' is unknown", "man", "nothing_like_it")
        self.refused(2, "expected one word after 'man'", "man", "sssp", "bfs")
        self.refused(2, "expected one of auto, serial", "sssp", self.gr, "--verify=perhaps")
        self.refused(2, "expected one of index, file", "sssp", self.gr, "--ids", "both")
        self.refused(2, "--option", "--option")

    def test_hints(self):
        self.refused(2, "'-q' is unknown; did you mean '--quiet'", "sssp", self.gr, "-q")
        self.refused(2, "'-q' is unknown; did you mean '--quick' or '--quiet'", "info", self.gr, "-q")
        self.refused(2, "did you mean '--set delta=100'", "sssp", self.gr, "--delta", 100)
        self.refused(2, "did you mean '--set delta=100'", "compare", "sssp", self.gr, "--delta=100")
        self.refused(2, "does not belong to compare; did you mean '--schedulers'", "compare", "sssp", self.gr, "--scheduler", "bsp")
        self.refused(2, "does not belong to sssp; did you mean '--scheduler'", "sssp", self.gr, "--schedulers", "bsp")

    def test_help_shows_what_an_app_takes(self):
        """An option that the help of an app does not show is refused; one that it shows is not."""
        lists = {app: set(re.findall(r"(?m)^  (--[\w-]+)", ordo("help", app).out.split("Options, with")[1])) for app in APPS + ("maxflow",)}
        for app, own in {"maxflow": {"--sink", "--phase", "--infinite", "--cut"}, "kcore": {"--k"},
                         "pagerank": {"--damping", "--tolerance"}}.items():
            self.assertLessEqual(own, lists[app])
            for other in lists:
                if other != app:
                    self.assertEqual(own & lists[other], set(), other)
        self.assertLessEqual({"--source", "--sources", "--sources-at-once", "--nearest", "--limit", "--tree", "--path-to"}, lists["sssp"])
        self.assertEqual({"--source", "--sources", "--limit", "--tree", "--path-to"} & lists["cc"], set())
        for app, shown in lists.items():
            self.assertNotRegex(ordo("help", app).out.split("Options, with")[1].split("\nThe operator:")[0],
                                r"\b(%s): " % "|".join(APPS + ("maxflow",)))
            for option in sorted(set().union(*lists.values()) - shown):
                value = {"--phase": "cut", "--damping": "0.5"}.get(option, "1")
                self.refused(2, f"takes no {option}", app, "/no/such/graph", option, value)
        self.assertRegex(ordo("help", "compare").out, r"(?m)^  --sink V +maxflow: ")

    def test_threads_of_the_environment(self):
        def threads(value, *words):
            r = ordo("sssp", self.gr, "--json", "-", *words, env={**os.environ, "OMP_NUM_THREADS": value})
            return json.loads(self.ok(r).out)["options"]["threads"]
        self.assertEqual(threads("3"), 3)
        self.assertEqual(threads("5,2"), 5)
        self.assertEqual(threads(" 4 "), 4)
        self.assertEqual(threads("3", "--threads", "2"), 2)
        self.assertEqual(threads("x", "--threads", "2"), 2)
        bare = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
        default = json.loads(ordo("sssp", self.gr, "--json", "-", env=bare).out)["options"]["threads"]
        self.assertEqual(threads(""), default)
        for value in ("0", "-1", "x", "2x", "9999", "1.5", ",2"):
            self.refused(2, "OMP_NUM_THREADS '.*expected a whole number from 1 to 1024", "sssp", self.gr,
                         env={**os.environ, "OMP_NUM_THREADS": value})
        self.ok(ordo("schedulers", env={**os.environ, "OMP_NUM_THREADS": "x"}))

    def test_misplaced_and_contradicting_options(self):
        self.refused(2, "--tree", "info", self.gr, "--tree", "x")
        self.refused(2, "no graph", "sssp")
        self.refused(2, "2 graphs", "sssp", self.gr, "-f", self.gr)
        self.refused(2, "--source", "cc", self.gr, "--source", 0)
        self.refused(2, "exclude", "sssp", self.gr, "--source", 0, "--sources", self.gr)
        self.refused(2, "exclude", "sssp", self.gr, "--symmetrise", "--symmetric")
        self.refused(2, "two outputs", "sssp", self.gr, "--output", "-", "--json", "-")
        self.refused(2, "needs a value", "sssp", self.gr, "--source")
        self.refused(2, "takes no value", "sssp", self.gr, "--quiet=1")
        self.refused(2, "-g or -u", "sssp", self.gr, "-k", 4)

    def test_bad_numbers(self):
        for option, values in {"--threads": ["0", "-1", "1x", "", "9999"], "--repeat": ["0", "1.5", "ten", " 1"],
                               "--source": ["-1", "60", "1e1", "0x1", "99999999999999999999"],
                               "--limit": ["-1", "nan", "x", ""], "--timeout": ["-1", "nan", "inf", "x", "", "1s"], "--seed": ["-1", "18446744073709551616"],
                               "-d": ["x"], "-g": ["32", "-1"]}.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    graph = [] if option == "-g" else [self.gr]
                    self.refused(2, re.escape(option), "sssp", *graph, option, value)

    def test_settings(self):
        self.ok(ordo("sssp", self.gr, "--set", "buckets=7", "--set", "chain=0", "--verify"))
        self.refused(2, "no tunable 'chnuk'", "sssp", self.gr, "--set", "chnuk=7")
        self.refused(2, "buckets='0'", "sssp", self.gr, "--set", "buckets=0")
        self.refused(2, "buckets='x'", "sssp", self.gr, "--set", "buckets=x")
        self.refused(2, "NAME=VALUE", "sssp", self.gr, "--set", "buckets")
        self.refused(2, "scheduler 'nobody' is unknown", "sssp", self.gr, "--set", "nobody.buckets=1")

    def test_constants(self):
        """A release takes no settings for them and does not list them."""
        takes = ordo("sssp", self.gr, "--set", "chunk=7")
        if takes.returncode:
            self.refused(2, r"scheduler 'delta' has no tunable 'chunk' \(a constant; a build with -Dablation=true takes it\)", "sssp",
                         self.gr, "--set", "chunk=7")
            self.refused(2, "no scheduler has a tunable 'chunk'", "sssp", self.gr, "--scheduler", "auto", "--set", "chunk=7")
        self.assertEqual(bool(takes.returncode), "chunk" not in self.ok(ordo("help", "delta")).out)

    def test_options_are_checked_before_the_graph_is_read(self):
        self.refused(2, "dleta", "sssp", "/no/such/graph", "--scheduler", "dleta")
        if ordo("sssp", "-g", "3", "--device", "cuda").returncode == 5:  # no GPU here: said before the graph is read
            self.refused(5, "device 'cuda'", "sssp", "/no/such/graph", "--device", "cuda")
            r = self.ok(ordo("sssp", self.gr, "--source", "0", "--device", "auto", "--verify"))
            self.assertRegex(r.out, r"Scheduler: .*, cpu, ")

    def test_unsound_is_refused_by_name(self):
        if "delta" in schedulers():
            self.refused(2, "'delta'.*'racy'", "sssp", self.gr, "--sync", "racy")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What `meson install` puts where, into a folder of its own: layout, symbols, headers, manual, completion.
usage: install_test.py SOURCE BUILD [unittest arguments]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from staged import Staged, run

SOURCE, BUILD = map(pathlib.Path, (sys.argv.pop(1), sys.argv.pop(1)))
# These end or follow an operator's file, need CUDA, or include another file.
NOT_ALONE = {"relax.h", "critical.h", "cpu.h", "each_weight.h", "instantiate.h", "cuda_host.h"}


def names(what):
    """Verbs and apps, as the command lists them."""
    return re.findall(r"^  ([a-z_-]+)\b", what.split("Examples:")[0], re.M)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = Staged(SOURCE, BUILD, pathlib.Path(cls.folder.name) / "image")
        cls.shared = cls.at.options["default_library"] != "static"
        cls.command = cls.at.ordo.exists()
        cls.cuda = cls.at.libdir / "libordo-cuda.so"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def ordo(self, *words):
        bare = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"} | {"ORDO_CACHE": self.folder.name + "/cache"}
        return run([self.at.ordo, *words], env=bare)

    def test_everything_is_where_it_belongs(self):
        at, found = self.at, set()
        for path in at.image.rglob("*"):
            if not path.is_dir():
                found.add(str(path.relative_to(at.prefix)))
        place = lambda folder: str(folder.relative_to(at.prefix))
        lib, include, share, man = map(place, (at.libdir, at.includedir, at.datadir, at.mandir))
        expected = {f"{include}/ordo/ordo.h", f"{include}/ordo/operator/instantiate.h", f"{include}/ordo/operators/sssp.h",
                    f"{include}/ordo/schedulers/delta/cpu.h", f"{lib}/pkgconfig/ordo.pc"}
        if self.shared:
            expected |= {f"{lib}/libordo.so", f"{lib}/libordo.so.0", f"{lib}/cmake/ordo/ordo-config.cmake",
                         f"{lib}/cmake/ordo/ordo-config-version.cmake"}
        if self.shared and self.cuda.exists():
            expected.add(f"{lib}/pkgconfig/ordo-cuda.pc")
        if self.command:
            expected |= {"bin/ordo", f"{share}/bash-completion/completions/ordo", f"{man}/man1/ordo.1"}
            expected |= {f"{man}/man1/ordo-{name}.1" for name in names(self.ordo("help"))}
        if at.options["docs"] != "disabled":
            expected |= {f"{share}/doc/ordo/{name}" for name in ("README.md", "CHANGELOG.md", "LICENSE")}
            expected |= {f"{share}/doc/ordo/{page.relative_to(SOURCE)}" for page in (SOURCE / "docs").rglob("*") if page.is_file()}
        self.assertEqual(expected - found, set(), "not installed")
        belongs = re.compile(f"bin/ordo$|{lib}/(libordo\\.(so[.0-9]*|a)|libordo-(cuda|mpi)\\.so|pkgconfig/ordo(-cuda)?\\.pc|cmake/ordo/ordo-config.*)$|"
                             f"{include}/ordo/([a-z_]+\\.h|(operator|scheduler|detail(/[a-z_]+)*)/[a-z_]+\\.(h|cuh)|operators/[a-z_]+\\.h|schedulers/[a-z_]+/[a-z_]+\\.(h|cuh))$|"
                             f"{man}/man1/ordo(-[a-z_-]+)?\\.1$|{share}/(doc/ordo/|bash-completion/completions/ordo$)")
        self.assertEqual({name for name in found if not belongs.match(name)}, set(), "does not belong there")

    def test_nothing_names_the_build(self):
        for path in self.at.image.rglob("*"):
            if path.is_file() and not path.is_symlink():
                for folder in (BUILD, SOURCE):
                    self.assertFalse(os.fsencode(folder) in path.read_bytes(), f"{path} names {folder}")

    def test_command_runs_from_there(self):
        if not self.command:
            self.skipTest("no command in this build")
        self.assertRegex(self.ordo("version"), r"^ordo \d")
        self.assertIn("PASS", self.ordo("bfs", "--generate", "grid --width 9 --height 9", "--verify"))
        # an operator's file, by the installed headers
        self.assertIn("PASS", self.ordo("run", SOURCE / "tests/cli/operators/tolls.c", "--generate", "road --vertices 99", "--verify"))
        if shutil.which("readelf"):
            self.assertRegex(run(["readelf", "-d", self.at.ordo]), r"RUNPATH.*\[\$ORIGIN/")

    def test_headers_alone(self):
        include = self.at.includedir
        for header in [*sorted((include / "ordo").glob("*.h")), *sorted((include / "ordo").glob("*er/*.h"))]:
            if header.name in NOT_ALONE:
                continue
            for command in (["gcc", "-std=c11", "-x", "c"], ["g++", "-std=c++17", "-x", "c++", "-Wno-missing-field-initializers"]):
                if shutil.which(command[0]):
                    name = header.relative_to(include)
                    with self.subTest(name, compiler=command[0]):
                        run([*command, "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{include}", "-"],
                            input=f"#include <{name}>\n#include <{name}>\n")

    def test_gallery_compiles(self):
        gallery = self.at.datadir / "doc" / "ordo" / "examples" / "gallery"
        files = sorted(gallery.iterdir())
        self.assertGreater(len(files), 6)
        for path in files:
            text = f"#define ORDO_OP {path.stem}\n" if path.suffix == ".h" else ""
            with self.subTest(path.name):
                run(["gcc", "-std=c11", "-x", "c", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{self.at.includedir}", f"-I{gallery}", "-"],
                    input=f'{text}#include "{path.name}"\n')

    def exported(self, library):
        return {tuple(line.split()[2].split("@@")) for line in run(["nm", "-D", "--defined-only", library]).splitlines()
                if line.split()[1] != "A"}

    def listed(self, name):
        """The names of a version script, with their versions."""
        text = re.sub(r"/\*.*?\*/", "", (SOURCE / name).read_text(), flags=re.S)
        return {(symbol, version) for version, body in re.findall(r"(\w+) \{\s*global:(.*?)\};", text, re.S)
                for symbol in re.findall(r"(\w+);", body)}

    def declared(self, header):
        text = re.sub(r"(?s:/\*.*?\*/)|^#(.*\\\n)*.*$", "", header.read_text(), flags=re.M)
        return set(re.findall(r"\bORDO_API\b[^;(]*?\b(ordo_\w+)\s*\(", text))

    def test_symbols_are_those_of_the_list(self):
        if not self.shared or not shutil.which("nm"):
            self.skipTest("a static library, or no nm")
        listed = self.listed("framework/libordo.map")
        self.assertEqual(self.exported(self.at.libdir / "libordo.so"), listed)
        ordo = self.at.includedir / "ordo"
        headers = {header for part in (".", "operator", "scheduler", "detail", "detail/cpu") for header in (ordo / part).glob("*.h")
                   if header.name != "cuda_host.h"}
        declared = set().union(*map(self.declared, headers))
        self.assertEqual(declared, {name for name, version in listed if version != "ORDO_PRIVATE"})
        self.assertIn("[libordo.so.0]", run(["readelf", "-d", self.at.libdir / "libordo.so"]))

    def test_cuda_object(self):
        if not self.cuda.exists():
            self.skipTest("a build without the CUDA back end")
        listed = self.listed("framework/cuda/libordo-cuda.map")
        self.assertEqual(self.exported(self.cuda), listed)
        declared = self.declared(self.at.includedir / "ordo" / "scheduler" / "cuda_host.h")
        self.assertEqual(declared | {"ordo_cuda_backend"}, {name for name, _ in listed})
        dynamic = run(["readelf", "-d", self.cuda])
        self.assertRegex(dynamic, r"R(UN)?PATH.*\[\$ORIGIN\]")
        self.assertIn("[libordo-cuda.so]", dynamic)

    def test_pkg_config_asks_for_nothing_else(self):
        if not self.shared or not shutil.which("pkg-config"):
            self.skipTest("a static library, or no pkg-config")
        # without other packages' files in reach
        alone = dict(self.at.environment, PKG_CONFIG_LIBDIR=str(self.at.libdir / "pkgconfig"))
        alone.pop("PKG_CONFIG_PATH")
        self.assertIn("-lordo", run(["pkg-config", "--cflags", "--libs", "ordo"], env=alone).split())
        if self.cuda.exists():
            words = run(["pkg-config", "--cflags", "--libs", "ordo-cuda"], env=alone).split()
            self.assertEqual([w for w in words if w in ("-DORDO_WITH_CUDA", "-lordo-cuda", "-lordo")],
                             ["-DORDO_WITH_CUDA", "-lordo-cuda", "-lordo"])

    # ---- the manual ----

    def page(self, name):
        return (self.at.mandir / "man1" / f"{name}.1").read_text()

    def test_manual_has_every_option(self):
        if not self.command:
            self.skipTest("no command in this build")
        overview = self.page("ordo").replace("\\-", "-")
        for name in names(self.ordo("help")):
            with self.subTest(name):
                self.assertIn(f"\n.B {name}", overview)
                text = self.ordo("help", name).split("Options, with defaults")[1].split("\nThe operator:")[0]
                options = re.findall(r"^  (--[\w-]+|-\w)\b", text, re.M)
                page = self.page(f"ordo-{name}").replace("\\-", "-")
                self.assertEqual(re.findall(r"^\.BR (--[\w-]+|-\w)\b", page, re.M), options)
                self.assertGreaterEqual(len(options), 2)
        for name in run([self.at.ordo, "complete", "--", "sssp", "--scheduler", ""]).split():
            if name != "auto":
                self.assertIn(f"\n.B {name}\n", overview)

    def test_manual_is_clean(self):
        if not self.command or not shutil.which("groff"):
            self.skipTest("no groff")
        for path in (self.at.mandir / "man1").iterdir():
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)

    # ---- completion ----

    def complete(self, *words):
        """What bash offers for the last word, and what it asked of readline."""
        script = ('compopt() { echo "compopt $*"; }; source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
                  '_ordo "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"\nprintf "%s\\n" "${COMPREPLY[@]}"')
        text = run(["bash", "-c", script, "bash", self.at.datadir / "bash-completion" / "completions" / "ordo", self.at.ordo, *words])
        return set(text.split("\n")) - {""}

    def test_completion(self):
        if not self.command or not shutil.which("bash"):
            self.skipTest("no bash, or no command")
        all_names = set(names(self.ordo("help")))
        self.assertEqual(self.complete(""), all_names | {"--help", "--version"})
        self.assertEqual(self.complete("ss"), {"sssp"})
        schedulers = set(re.findall(r"^([a-z_]+) ", self.ordo("schedulers"), re.M))
        for words, own in ((("sssp", "x"), "auto"), (("compare", "sssp", "x"), "all")):
            option = "--scheduler" if own == "auto" else "--schedulers"
            self.assertEqual(self.complete(*words, option, ""), schedulers | {own})
            self.assertEqual(self.complete(*words, option, "=", "bs"), {"bsp"})
        self.assertEqual(self.complete("compare", "sssp", "--schedulers", "bsp,del"), {"bsp,delta"})
        self.assertNotIn("bsp,bsp", self.complete("compare", "sssp", "--schedulers", "bsp,"))
        self.assertEqual(self.complete("compare", "sssp", "--sync", "atomic,lo"), {"atomic,lock"})
        self.assertIn("delta=", self.complete("compare", "sssp", "--sweep", "del"))
        self.assertNotIn("atomic,atomic", self.complete("compare", "sssp", "--sync", "atomic,"))
        self.assertEqual(self.complete("compare", "sssp", "--device", "auto,c"), {"auto,cpu"} | ({"auto,cuda"} & self.complete("compare", "sssp", "--device", "auto,c")))
        self.assertEqual(self.complete("sssp", "--verify", "=", "s"), {"serial"})
        self.assertEqual(self.complete("sssp", "--ids", ""), {"index", "file"})
        for scheduler in schedulers:
            tunables = set(re.findall(r"^  ([a-z_]+)=", self.ordo("help", scheduler), re.M))
            offered = self.complete("sssp", "--scheduler", scheduler, "--set", "")
            self.assertEqual({o.rstrip("=") for o in offered} - {"compopt -o nospace"}, tunables)
        self.assertEqual(self.complete("sssp", "--scheduler", "adds", "--set", "manager", "=", ""), {"combining", "dedicated"})
        for verb in all_names:
            options = set(re.findall(r"^  (--[\w-]+)", self.ordo("help", verb).split("Options, with defaults")[1], re.M))
            self.assertEqual(self.complete(verb, "--"), options, verb)
        for words in (("sssp", ""), ("sssp", "--output", ""), ("compare", "sssp", ""), ("convert", "a", ""), ("info", "")):
            self.assertEqual(self.complete(*words), {"compopt -o default"}, words)
        apps = self.complete("compare", "")
        self.assertIn("sssp", apps)
        self.assertLess(apps, all_names)
        self.assertEqual(self.complete("bench", ""), {"ht", "atm", "sgd", "machine", "queue", "lock-transfer"})
        self.assertIn("rmat", self.complete("generate", ""))
        self.assertLess(all_names | schedulers, self.complete("help", ""))
        for words in (("nonsense", ""), ("version", ""), ("sssp", "--nonsense"), ("sssp", "--threads", "")):
            self.assertEqual(self.complete(*words), set(), words)

    def test_completion_offers_what_is_taken(self):
        """Each candidate once, and none that the command refuses; none that it takes is missing."""
        if not self.command:
            self.skipTest("no command in this build")
        graph = pathlib.Path(self.folder.name) / "chain.wel"
        graph.write_text("0 1 5\n1 2 5\n")
        flow = pathlib.Path(self.folder.name) / "flow.max"
        flow.write_text("p max 3 2\nn 1 s\nn 3 t\na 1 2 4\na 2 3 4\n")

        def offered(*words):
            lines = run([self.at.ordo, "complete", "--", *words]).splitlines()
            self.assertEqual(len(lines), len(set(lines)), words)
            return lines

        def taken(*words):
            return subprocess.run([self.at.ordo, *words], capture_output=True).returncode == 0

        syncs = ("auto", "atomic", "racy", "lock", "owner", "server", "race")
        for app in ("sssp", "cc", "mst", "maxflow", "kcore"):
            file = flow if app == "maxflow" else graph
            for option, values in (("--sync", syncs), ("--device", ("cpu", "cuda", "auto")),
                                   ("--scheduler", ("auto", "bsp", "near_far", "delta", "topology", "adds", "inbox", "lock_server", "broker", "horizon",
                                                     "native"))):
                want = [v for v in values if taken(app, str(file), option, v)]
                self.assertEqual(sorted(offered(app, option, "")), sorted(want), (app, option))
            for setting in offered(app, "--set", ""):
                self.assertIn("=", setting)
            for sync in offered(app, "--scheduler", "topology", "--sync", ""):
                self.assertTrue(taken(app, str(file), "--scheduler", "topology", "--sync", sync), (app, sync))
            text = self.ordo("help", app)
            for option in offered(app, "--"):
                self.assertIn(option, text)
        self.assertNotIn("--sink", offered("sssp", "--"))
        self.assertNotIn("--sink", offered("compare", "sssp", "--"))
        self.assertIn("--sink", offered("compare", "maxflow", "--"))
        self.assertNotIn("--sources", offered("sssp", "--source", "1", "--"))
        self.assertNotIn("--source", offered("sssp", "--source", "1", "--"))
        self.assertIn("--set", offered("sssp", "--set", "chain=3", "--"))
        self.assertNotIn("--epochs", offered("bench", "ht", "--"))
        self.assertNotIn("--scale", offered("generate", "road", "--"))
        self.assertEqual(offered("generate", "road", ""), [])
        self.assertEqual(offered("convert", "a", "b", ""), [])
        self.assertEqual(offered("sssp", "a", ""), [])


if __name__ == "__main__":
    unittest.main()

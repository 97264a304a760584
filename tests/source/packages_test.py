#!/usr/bin/env python3
"""The recipes of Spack and conda, without Spack and conda: the options that they give to Meson, for every choice of variants,
are options that it has, the files that they copy exist and are all of the package. usage: packages_test.py SOURCE_ROOT"""
import itertools
import pathlib
import re
import sys
import types

root = pathlib.Path(sys.argv[1])
passed = failed = 0


def say(ok, text):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(text)


def spack_recipe():
    """The class of the recipe and its variants; all that it takes from Spack does nothing."""
    variants = {}

    class Nothing:
        def __init__(self, *words, **more):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *words):
            pass

    def variant(name, default, description):
        variants[name] = default

    names = ("conflicts", "depends_on", "extends", "license", "version", "when")
    modules = {"spack.package": {name: Nothing for name in names} | {"variant": variant, "run_after": lambda phase: lambda method: method},
               "spack_repo.builtin.build_systems.cuda": {"CudaPackage": type("CudaPackage", (), {})},
               "spack_repo.builtin.build_systems.meson": {"MesonPackage": type("MesonPackage", (), {})}}
    for path, content in modules.items():
        for depth in range(1, path.count(".") + 2):
            sys.modules.setdefault(".".join(path.split(".")[:depth]), types.ModuleType(path))
        vars(sys.modules[path]).update(content)
    scope = {}
    exec(compile((root / "packaging/spack/ordo/package.py").read_text(), "package.py", "exec"), scope)
    return scope["Ordo"], {**variants, "cuda": False}


class Spec:
    """A choice of variants."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.variants = {"cuda_arch": types.SimpleNamespace(value=("80", "90"))}

    def satisfies(self, what):
        return self.chosen[what[1:]] == (what[0] == "+")


def check_options():
    options = dict(re.findall(r"^option\('(\w+)', type: '(\w+)'", (root / "meson.options").read_text(), re.M)) | {"b_ndebug": "boolean"}
    values = {"feature": ("enabled", "disabled"), "boolean": ("true", "false")}

    def check(args, where):
        given = dict(re.findall(r"-D(\w+)=(\S+)", args))
        for name, value in given.items():
            say(name in options and value in values.get(options[name], (value,)), f"{where}: -D{name}={value} is none of meson.options")
        # what depends on what the building machine happens to have is decided
        auto = {name for name, kind in options.items() if kind == "feature"} - {"docs", "python"}
        say(auto <= set(given) | ({"nvshmem"} if given.get("cuda") == "disabled" else set()), f"{where}: left to chance: {sorted(auto - set(given))}")
        return given

    recipe, variants = spack_recipe()
    for choice in itertools.product((False, True), repeat=len(variants)):
        package = recipe()
        package.spec = Spec(dict(zip(variants, choice)))
        given = check(" ".join(package.meson_args()), f"packaging/spack {package.spec.chosen}")
        for name in set(variants) - {"python"}:
            say((given[name] == "enabled") == package.spec.chosen[name], f"packaging/spack: {name} is {given[name]}, expected {package.spec.chosen[name]}")
        say(("gpu_archs" in given) == package.spec.chosen["cuda"], "packaging/spack: gpu_archs goes with cuda")
    check((root / "packaging/conda/recipe.yaml").read_text(), "packaging/conda")
    check((root / "debian/rules").read_text(), "debian/rules")


def check_files():
    """Patterns of files, which are written once for each package: every file of the tree is one of them."""
    patterns = {"ordo": ("*.py", "*.html", "py.typed"), "ordo_networkx": ("*.py",)}
    for folder, names in patterns.items():
        files = {path for path in (root / "python" / folder).iterdir() if path.is_file()}
        say(files == {path for name in names for path in (root / "python" / folder).glob(name)}, f"python/{folder} has files that packages leave out")
        for recipe in ("packaging/conda/recipe.yaml", "debian/rules"):
            for name in names:
                say(f"python/{folder}/{name} " in (root / recipe).read_text(), f"{recipe} does not copy python/{folder}/{name}")
    text = (root / "packaging/spack/ordo/package.py").read_text()
    say(repr(patterns).replace("'", '"') in text, f"packaging/spack does not copy {patterns}")


check_options()
check_files()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)

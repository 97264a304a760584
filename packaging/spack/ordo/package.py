"""Ordo for Spack. The source has no address yet, so it is built from a source tree:

    spack repo create ~/ordo-repo && cp -r packaging/spack/ordo ~/ordo-repo/packages/ && spack repo add ~/ordo-repo
    spack dev-build --source-path . ordo@0.1.0

Checked so far: it is Python, and its options of Meson are those of meson.options (tests/source/docs_test.py). It was not
built: that needs Spack.
"""
from spack.package import *


class Ordo(MesonPackage, CudaPackage):
    """Graph algorithms under interchangeable schedulers, on CPUs and GPUs; answers are verified and comparable."""

    license("MIT")
    version("0.1.0")

    variant("mpi", default=False, description="runs over several processes")
    variant("papi", default=False, description="hardware counters of runs")
    variant("python", default=True, description="the Python package, with reports")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("meson@1.4:", type="build")
    depends_on("pkgconfig", type="build")
    for library in ("jansson", "libzip", "metis", "xz", "zlib-api", "zstd"):
        depends_on(library)
    depends_on("mpi", when="+mpi")
    depends_on("papi", when="+papi")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-numpy@1.24:", type="run", when="+python")
    depends_on("py-plotly", type="run", when="+python")

    def meson_args(self):
        def feature(name, wanted):
            return f"-D{name}={'enabled' if wanted else 'disabled'}"

        args = [feature(name, self.spec.satisfies(f"+{name}")) for name in ("cuda", "mpi", "papi")]
        args += [feature("tests", False), feature("command", True), feature("metis", True), "-Db_ndebug=false"]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            args.append("-Dgpu_archs=" + ",".join(self.spec.variants["cuda_arch"].value))
        return args

    @run_after("install")
    def install_python(self):
        if self.spec.satisfies("+python"):
            for name, patterns in (("ordo", ("*.py", "*.html", "py.typed")), ("ordo_networkx", ("*.py",))):
                package = join_path(python_platlib, name)
                mkdirp(package)
                for pattern in patterns:
                    install(join_path(self.stage.source_path, "python", name, pattern), package)
            script = join_path(self.stage.source_path, "packaging", "dist_info")
            self.spec["python"].command(script, python_platlib, "spack")

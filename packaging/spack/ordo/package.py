"""Ordo for Spack 1.0 or later. The source has no address yet, so it is built from a source tree:

spack repo create ~/ordo-repo local
cp -r packaging/spack/ordo ~/ordo-repo/spack_repo/local/packages/
spack repo add ~/ordo-repo/spack_repo/local
spack dev-build --source-path . ordo@0.1.0

Checked with Spack 1.3.0.dev0 on Debian 12, whose compiler and libraries were externals: with and
without metis, mpi and python. Not built: with papi or cuda. `spack audit packages` ends at the
missing address.
"""

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Ordo(MesonPackage, CudaPackage):
    """Graph algorithms under interchangeable schedulers, on CPUs and GPUs; answers are verified
    and comparable."""

    license("MIT")
    version("0.1.0")

    variant("metis", default=True, description="partitions of graphs by METIS")
    variant("mpi", default=False, description="runs over several processes")
    variant("papi", default=False, description="hardware counters of runs")
    variant("python", default=True, description="the Python package, with reports")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("meson@1.4:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type="build")  # programs of the build
    for library in ("jansson", "libzip", "xz", "zlib-api", "zstd"):
        depends_on(library)
    depends_on("cuda@12.8:", when="+cuda")
    depends_on("metis@5:", when="+metis")
    depends_on("mpi", when="+mpi")
    depends_on("papi", when="+papi")
    with when("+python"):
        extends("python@3.11:")  # else `spack load ordo` does not show Python the package
        depends_on("py-numpy@1.24:", type="run")
        depends_on("py-plotly@5.4:", type="run")

    for shared_only in ("+cuda", "+mpi", "+python"):
        conflicts("default_library:=static", when=shared_only, msg="it loads the shared library")

    def meson_args(self):
        args = ["-Db_ndebug=false", "-Dtests=disabled", "-Dnvshmem=disabled", "-Dcommand=enabled"]
        args += [f"-D{codec}=enabled" for codec in ("zlib", "lzma", "zstd", "zip")]
        for variant in ("cuda", "metis", "mpi", "papi"):
            wanted = self.spec.satisfies(f"+{variant}")
            args.append(f"-D{variant}={'enabled' if wanted else 'disabled'}")
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            args.append("-Dgpu_archs=" + ",".join(self.spec.variants["cuda_arch"].value))
        return args

    def check(self):
        """Shortest paths and a maximum flow under every scheduler, verified: the tests are run by
        tools/check."""
        ordo = Executable(join_path(self.build_directory, "ordo"))
        ordo("compare", "sssp", "-g", "10", "--repeat", "1")
        ordo("compare", "maxflow", "--generate", "genrmf --width 4 --depth 5", "--repeat", "1")

    @run_after("install")
    def install_python(self):
        if self.spec.satisfies("~python"):
            return
        files = {"ordo": ("*.py", "*.html", "py.typed"), "ordo_networkx": ("*.py",)}
        for name, patterns in files.items():
            package = join_path(python_purelib, name)
            mkdirp(package)
            for pattern in patterns:
                install(join_path(self.stage.source_path, "python", name, pattern), package)
        script = join_path(self.stage.source_path, "packaging", "dist_info")
        self.spec["python"].command(script, python_purelib, "spack")

    def test_command(self):
        """runs under every scheduler, verified"""
        Executable(self.prefix.bin.ordo)("compare", "sssp", "-g", "8", "--repeat", "1")

    def test_python(self):
        """a call of the Python package, verified"""
        if self.spec.satisfies("~python"):
            raise SkipTest("needs +python")
        program = "import ordo; ordo.sssp(ordo.generate('road', vertices=1000), 0).verify()"
        self.spec["python"].command("-c", program)

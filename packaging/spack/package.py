# A recipe for Spack: lay it as packages/pario/package.py in a repository of
# your own (`spack repo create`), beside the tarball in a mirror.
from spack.package import *


class Pario(CMakePackage):
    """Laboratory for parallel I/O: b_eff_io, the Parallel I/O Test Suite,
    NHT-1, PRIOmark, and shipio, an MPI-IO layer with data shipping."""

    url = "file:///pario-1.0.0.tar.xz"
    license("BSD-3-Clause")

    version("1.0.0")

    variant("mpi", default=True, description="Processes and files by MPI")
    variant("uring", default=True, description="io_uring as an interface")
    variant("hwloc", default=True, description="Cores and sockets in results")
    variant("curl", default=True, description="Network transfers by libcurl")
    variant("sodium", default=True, description="Shared pointers between nodes")
    variant("history", default=True, description="pario history (SQLite)")
    variant("blas", default=True, description="The out-of-core kernel")
    variant("otf2", default=True, description="pario trace --to otf2")

    depends_on("c", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("mpi", when="+mpi")
    depends_on("liburing@2.3:", when="+uring")
    depends_on("hwloc", when="+hwloc")
    depends_on("curl", when="+curl")
    depends_on("libsodium", when="+sodium")
    depends_on("sqlite@3.34:", when="+history")
    depends_on("openblas", when="+blas")
    depends_on("netlib-lapack+lapacke", when="+blas")
    depends_on("otf2", when="+otf2")
    depends_on("gnuplot", type="run")

    def cmake_args(self):
        # What is not asked for is not taken from the system either.
        optional = {"uring": ["URING"], "hwloc": ["HWLOC"], "curl": ["CURL"],
                    "sodium": ["SODIUM"], "history": ["SQLITE"],
                    "blas": ["CBLAS", "LAPACKE"], "otf2": ["OTF2"]}
        args = [self.define_from_variant("PARIO_MPI", "mpi"),
                self.define("BUILD_TESTING", False)]
        args += [self.define(f"PARIO_WITHOUT_{name}", True)
                 for variant, names in optional.items() for name in names
                 if not self.spec.satisfies(f"+{variant}")]
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        pario = Executable(self.prefix.bin.pario)
        pario("--version")
        with working_dir("check", create=True):
            pario("quick", "--time", "1s", "--quiet", "--output", "r.json", ".")

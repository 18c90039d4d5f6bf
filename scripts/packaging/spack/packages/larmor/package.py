"""Larmor for Spack: spack repo add scripts/packaging/spack && spack dev-build -d . larmor@0.1.0"""
from spack.package import *


class Larmor(CMakePackage, CudaPackage):
    """Iterative reconstruction of non-Cartesian MRI: the command and the libraries (C++, C)."""

    license("MIT")

    version("0.1.0")

    variant("shared", default=True, description="Build a shared library")
    variant("dicom", default=True, description="Write DICOM images, with DCMTK")
    variant("zfp", default=True, description="Read compressed MRD streams, with zfp")
    variant("mpi", default=False, description="Share work among the processes of an MPI launcher")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11", type="build")
    depends_on("eigen@3.4:")
    depends_on("fftw@3 precision=float,double")
    depends_on("fmt")
    depends_on("hdf5@1.10.7: ~mpi")
    depends_on("libpng")
    depends_on("nifticlib@3:")
    depends_on("nlohmann-json")
    depends_on("pugixml")
    depends_on("zlib-api")
    depends_on("dcmtk", when="+dicom")
    depends_on("zfp", when="+zfp")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("LARMOR_BUILD_TESTS", False),
            self.define("LARMOR_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_Dcmdata", self.spec.satisfies("~dicom")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_ZFP", self.spec.satisfies("~zfp")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", self.spec.satisfies("~mpi")),
        ]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            capabilities = ";".join(self.spec.variants["cuda_arch"].value)
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", capabilities))
        return args

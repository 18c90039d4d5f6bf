"""niftilib for Spack, which has no package of it."""
from spack.package import *


class Nifticlib(CMakePackage):
    """Reads and writes the NIfTI-1 file format."""

    homepage = "https://nifti-imaging.github.io"
    git = "https://github.com/NIFTI-Imaging/nifti_clib.git"

    license("custom")  # public domain

    version("3.0.1", tag="v3.0.1", commit="96b9954fafcf3bd69a4ee2091b0d707ed2077697")

    depends_on("c", type="build")
    depends_on("cmake@3.10:", type="build")
    depends_on("zlib-api")

    def cmake_args(self):
        off = ("BUILD_TESTING", "USE_NIFTI2_CODE", "USE_NIFTICDF_CODE", "NIFTI_BUILD_APPLICATIONS")
        args = [self.define(name, False) for name in off]
        return [self.define("BUILD_SHARED_LIBS", True), *args]

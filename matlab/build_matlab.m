function build_matlab(libdir, incdir)
  % build_matlab(LIBDIR, INCDIR): compiles the mex file beside this one. liblarmor_c lies in LIBDIR, larmor.h in INCDIR.
  here = fileparts(mfilename('fullpath'));
  mex('-R2018a', 'CXXFLAGS=$CXXFLAGS -std=c++17', ['-I' incdir], ['-I' here], ...
      fullfile(here, 'larmor_gateway_call.cpp'), fullfile(here, 'gateway.cpp'), ['-L' libdir], '-llarmor_c', ...
      ['LDFLAGS=$LDFLAGS -Wl,-rpath,' libdir], '-outdir', here);
end

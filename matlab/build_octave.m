function build_octave(libdir, incdir, out)
  % build_octave(LIBDIR, INCDIR, OUT): compiles the oct-file into the folder OUT (default: beside this file). liblarmor_c
  % lies in LIBDIR, larmor.h in INCDIR.
  here = fileparts(mfilename('fullpath'));
  if nargin < 3
    out = here;
  end
  mkoctfile('-std=c++17', '-O2', ['-I' incdir], ['-I' here], fullfile(here, 'octave.cpp'), fullfile(here, 'gateway.cpp'), ...
            ['-L' libdir], '-llarmor_c', ['-Wl,-rpath,' libdir], '-o', fullfile(out, 'larmor_gateway_call.oct'));
end

classdef Nufft < larmor.Operator
  % A = larmor.Nufft(k, imsize, 'coils', 8, 'tolerance', 1e-3, 'precision', 'single')
  %
  % Non-uniform Fourier transform of images [x, y, z, coil] of size imsize to samples [N, coil]. k is d x N or N x d, in
  % cycles per pixel; row or column 1 belongs to the first dimension of the image. With the factor 1/sqrt(prod(imsize)).

  methods
    function A = Nufft(k, imsize, varargin)
      A = A@larmor.Operator();
      options = larmor.named(struct('coils', 0, 'tolerance', 1e-3, 'precision', 'single'), varargin);
      A.take(larmor_gateway_call('nufft', double(k), double(imsize), double(options.coils), ...
                                 double(options.tolerance), options.precision));
    end
  end
end

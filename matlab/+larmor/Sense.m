function A = Sense(k, maps, varargin)
  % A = larmor.Sense(k, maps, ...): image to samples of all coils, larmor.Nufft(k, ..., 'coils', n) * larmor.CoilMaps(maps).
  dims = min(size(k));
  S = larmor.CoilMaps(maps, dims);
  if isa(maps, 'double')
    precision = 'double';
  else
    precision = 'single';
  end
  F = larmor.Nufft(k, S.domain, 'coils', S.codomain(end), 'precision', precision, varargin{:});
  A = F * S;
end

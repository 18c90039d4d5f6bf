classdef CoilMaps < larmor.Operator
  % S = larmor.CoilMaps(maps, dims): image [x, y, (z)] to coil images [x, y, (z), coil]. dims: dimensions of
  % the image, 2 or 3 (default: one less than maps has).

  methods
    function S = CoilMaps(maps, dims)
      S = S@larmor.Operator();
      if nargin < 2
        dims = ndims(maps) - 1;
      end
      % A last extent of 1 is not stored.
      extents = [size(maps), ones(1, dims + 1 - ndims(maps))];
      S.take(larmor_gateway_call('maps', larmor.complex_of(maps), double(extents)));
    end
  end
end

function [image, report] = recon(file, varargin)
  % [image, report] = larmor.recon('scan.h5', 'regularizer', 'wavelet:auto', 'iterations', 50, ...)
  %
  % From raw data to images [x, y, z, (coil,) image]. Options are those of `recon run` with '_' for '-'; numbers, rows of
  % numbers and logicals are written as the command takes them, arrays stand in for files: maps [x, y, (z), coil],
  % trajectory d x N, density, field_map and others. report: a struct.
  arrays = {'trajectory', 'density', 'maps', 'field_map', 'r2star', 'field_weight', 'bins', 'basis', 'dictionary', ...
            'gradient_response'};
  for i = 2:2:numel(varargin)
    value = varargin{i};
    if ischar(value)
      continue
    elseif any(strcmp(varargin{i - 1}, arrays))
      if iscomplex(value)
        varargin{i} = single(value);
      else
        varargin{i} = double(value);
      end
    elseif islogical(value)
      words = {'false', 'true'};
      varargin{i} = words{value + 1};
    else
      varargin{i} = strjoin(arrayfun(@(n) sprintf('%.17g', n), value(:)', 'UniformOutput', false), ',');
    end
  end
  [image, text] = larmor_gateway_call('recon', file, varargin{:});
  if nargout > 1
    report = jsondecode(text);
  end
end

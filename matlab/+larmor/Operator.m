classdef Operator < handle
  % A linear operator: A*x, A'*y, A*B, A.normal. Images are [x, y, z, coil], as MATLAB stores them.
  %
  % x may be an array of A.domain or a column vector; the result is an array of A.codomain or a column vector. Samples of one
  % coil are a column: A.adjoint(y) is the image all the same, where A' * y is a column.

  properties (SetAccess = protected)
    id = 0        % of the library's object
    domain = []   % size of x
    codomain = [] % size of A*x
  end

  methods
    function A = Operator(id)
      if nargin > 0
        A.take(id);
      end
    end

    function delete(A)
      if A.id ~= 0
        larmor_gateway_call('delete', A.id);
      end
    end

    function y = mtimes(A, x)
      if isa(A, 'larmor.Operator') && isa(x, 'larmor.Operator')
        y = larmor.Operator(larmor_gateway_call('product', A.id, x.id));
      elseif isa(A, 'larmor.Operator')
        y = larmor_gateway_call('apply', A.id, larmor.complex_of(x));
      else
        error('larmor:error', 'a number times an operator is no operator here: multiply what it is applied to');
      end
    end

    function y = apply(A, x)
      % A*x as an array of A.codomain.
      y = reshape(A * x, [A.codomain, 1]);
    end

    function x = adjoint(A, y)
      % A'*y as an array of A.domain.
      x = reshape(A' * y, [A.domain, 1]);
    end

    function B = ctranspose(A)
      B = larmor.Operator(larmor_gateway_call('transposed', A.id));
    end

    function N = normal(A)
      % A'*A in its fastest form.
      N = larmor.Operator(larmor_gateway_call('normal', A.id));
    end

    function disp(A)
      fprintf('  %s from [%s] to [%s]\n', class(A), num2str(A.domain), num2str(A.codomain));
    end

    function varargout = size(A, dim)
      % As a matrix between vectors.
      both = [prod(A.codomain), prod(A.domain)];
      if nargin > 1
        varargout{1} = both(dim);
      elseif nargout > 1
        varargout = num2cell(both);
      else
        varargout{1} = both;
      end
    end
  end

  methods (Access = protected)
    function take(A, id)
      A.id = id;
      [A.domain, A.codomain] = larmor_gateway_call('sizes', id);
    end
  end
end

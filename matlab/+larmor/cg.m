function x = cg(A, y, varargin)
  % x = larmor.cg(A, y, 'iterations', 30, 'regularizer', 'l2:1e-3'): conjugate gradients; options as larmor.solve has them.
  x = larmor.solve(A, y, varargin{:}, 'solver', 'cg');
end

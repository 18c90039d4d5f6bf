function x = solve(A, y, varargin)
  % x = larmor.solve(A, y, 'regularizer', 'wavelet:1e-3', 'solver', 'auto', 'iterations', 30, 'tolerance', 0, 'space', 0, ...
  %                  'weights', w)
  %
  % min 1/2 |A*x - y|^2 + terms; with density weights w, one for each sample, min 1/2 sum(w .* |A*x - y|.^2) + terms. regularizer: a text or a cell array of texts; see docs/regularizers.md. Ctrl-C stops at the
  % end of an iteration.
  options = larmor.named(struct('regularizer', {{}}, 'solver', 'auto', 'iterations', 30, 'tolerance', 0, 'space', 0, ...
                                'weights', []), varargin);
  terms = options.regularizer;
  if ischar(terms)
    terms = {terms};
  end
  x = larmor_gateway_call('solve', A.id, larmor.complex_of(y), options.solver, double(options.iterations), ...
                          double(options.tolerance), double(options.space), double(options.weights), terms{:});
end

function test_larmor(recon_program, reference_program, folder)
  % The classes against exact sums and the C++ library, in Octave: test_larmor(PROGRAMS recon and larmor_reference, FOLDER for
  % files)
  rand('seed', 3);
  randn('seed', 4);
  random = @(varargin) randn(varargin{:}) + 1i * randn(varargin{:});
  N = [7 6];
  k = rand(2, 90) - 0.5;
  maps = random(N(1), N(2), 3);

  % Conventions: row 1 belongs to dimension 1; d x N and N x d are the same.
  F = larmor.Nufft(k, N, 'precision', 'double', 'tolerance', 1e-9);
  x = random(N);
  [i1, i2] = ndgrid(-floor(N(1) / 2):ceil(N(1) / 2) - 1, -floor(N(2) / 2):ceil(N(2) / 2) - 1);
  exact = zeros(90, 1);
  for j = 1:90
    exact(j) = sum(sum(x .* exp(-2i * pi * (k(1, j) * i1 + k(2, j) * i2)))) / sqrt(prod(N));
  end
  close_to(F * x, exact, 1e-8);
  close_to(larmor.Nufft(k', N, 'precision', 'double', 'tolerance', 1e-9) * x, exact, 1e-8);
  assert(isequal(size(F), [90 42]) && size(F, 1) == 90);
  assert(~isempty(strfind(evalc('disp(F)'), 'larmor.Nufft from [7  6] to [90]')));

  % Coil models: adjoint, normal operator, columns.
  A = larmor.Sense(k, maps, 'tolerance', 1e-9);
  y = random(90, 3);
  Ax = A * x;
  assert(isequal(size(Ax), [90 3]));
  AHy = A' * y;
  assert(isequal(size(AHy), N));
  assert(abs(Ax(:)' * y(:) - x(:)' * AHy(:)) < 1e-10 * norm(Ax(:)) * norm(y(:)));
  close_to(A.normal * x, A' * Ax, 1e-7);
  close_to(A * x(:), Ax(:), 0);
  assert(isequal(size(A' * y(:)), [42 1]));

  % A column gives a column; the samples of one coil are a column.
  Fx = F * x;
  assert(isequal(size(F' * Fx), [42 1]) && isequal(size(F.adjoint(Fx)), N) && isequal(size(F.apply(x(:))), [90 1]));
  close_to(F.adjoint(Fx), F' * Fx, 0);
  assert(isequal(size(A.apply(x(:))), [90 3]) && isequal(size(A.adjoint(y)), N));

  % Numbers that MATLAB has made real because all imaginary parts are zero.
  close_to(A * real(x), A * complex(real(x)), 0);
  close_to(larmor.cg(A, real(Ax), 'iterations', 3), larmor.cg(A, complex(real(Ax)), 'iterations', 3), 0);
  close_to(larmor.Sense(k, real(maps)) * x, larmor.Sense(k, complex(real(maps))) * x, 0);

  % Every operator has its adjoint.
  operators = {F, F', A, A', A.normal, larmor.CoilMaps(maps), larmor.Nufft(k, N, 'coils', 3, 'precision', 'double'), ...
               F * F'};
  for i = 1:numel(operators)
    B = operators{i};
    u = random(size(B, 2), 1);
    v = random(size(B, 1), 1);
    Bu = B * u;
    assert(abs(v' * Bu - (B' * v)' * u) < 1e-10 * norm(Bu) * norm(v));
  end

  % Solvers, also with an operator that has only A*x and A'*y.
  close_to(larmor.cg(A, Ax, 'iterations', 60), x, 1e-4);
  w = linspace(0.1, 2, 90)';
  W = diag(repmat(w, 3, 1));
  M = zeros(270, 42);
  for i = 1:42
    M(:, i) = A * double((1:42)' == i);
  end
  weighted = larmor.cg(A, y, 'iterations', 200, 'weights', w);
  close_to(weighted(:), (M' * W * M) \ (M' * W * y(:)), 1e-4);
  fails(@() larmor.cg(A, y, 'weights', w(1:7)), '7 density weights for 90 samples');
  close_to(larmor.solve(A, Ax, 'solver', 'fista', 'regularizer', 'l1:1e-9', 'iterations', 1000), x, 1e-2);
  close_to(plain_cg(A, Ax(:), 60), x(:), 1e-6);
  single_A = larmor.Sense(k, single(maps));
  assert(isa(single_A * single(x), 'single'));

  % Errors say what to do.
  fails(@() A * single(x), 'x is not complex of class double');
  fails(@() A * single(real(x)), 'convert it, such as complex(double(x))');
  fails(@() A * random(5, 5), 'x is 5 x 5, expected 7 x 6');
  fails(@() larmor.Nufft(rand(2, 2), N), 'may be d x N or N x d');
  fails(@() larmor.Nufft(rand(4, 9), N), 'the trajectory is 4 x 9, expected 2 x N or N x 2');
  fails(@() larmor.Nufft(k, N, 'coil', 3), 'expected names and values; there are coils');
  fails(@() larmor.Nufft(k, N, 'tolerance', 1e-9), 'the best is');
  fails(@() larmor.Nufft(k, N, 'coils', 2.5), 'not whole');
  fails(@() larmor.Nufft(k, N, 'coils', NaN), 'not whole');
  fails(@() larmor.Nufft(k, N, 'coils', -3), 'there are -3 coils');
  fails(@() larmor.solve(A, Ax, 'solver', 'newton'), 'unknown solver');

  same_bits_as_the_library(reference_program, folder);

  % The library's objects are deleted together with the variables.
  before = larmor_gateway_call('count');
  for i = 1:50
    B = larmor.Nufft(k, N);
    C = B';
  end
  clear B C
  assert(larmor_gateway_call('count') == before);

  % A whole scan, with the numbers of the command to the bit.
  scan = fullfile(folder, 'scan.h5');
  assert(system(sprintf('"%s" simulate "%s" --matrix 32 --coils 3 --quiet --overwrite', recon_program, scan)) == 0);
  [image, report] = larmor.recon(scan, 'regularizer', 'l2:1e-2', 'iterations', 6, 'solve_fov', 1);
  assert(isequal(size(image), [32 32]) && isa(image, 'single') && strcmp(report.solver, 'cg'));
  file = fullfile(folder, 'image.cfl');
  assert(system(sprintf('"%s" run "%s" -o "%s" --complex --quiet --overwrite --regularizer l2:1e-2 --iterations 6 --solve-fov 1 --device cpu', ...
                        recon_program, scan, file)) == 0);
  handle = fopen(file);
  numbers = fread(handle, [2, Inf], 'single=>single');
  fclose(handle);
  assert(isequal(image(:), complex(numbers(1, :), numbers(2, :)).'));
  fails(@() larmor.recon(scan, 'iterations', 0), 'iterations ''0''');
  fails(@() larmor.recon('/nowhere.h5'), '/nowhere.h5');
  disp('larmor in Octave: everything holds');
end

function close_to(a, b, tolerance)
  error_now = norm(a(:) - b(:)) / norm(b(:));
  assert(error_now <= tolerance, sprintf('relative difference %g', error_now));
end

function fails(action, text)
  message = '';
  try
    action();
  catch problem
    message = problem.message;
  end
  assert(~isempty(strfind(message, text)), ['expected "' text '", got "' message '"']);
end

function same_bits_as_the_library(program, folder)
  % Results of larmor_reference for the same arrays, in both precisions.
  k = rand(2, 700) - 0.5;
  random = @(varargin) single(complex(randn(varargin{:}), randn(varargin{:})));
  maps = random(24, 20, 3);
  x = random(24, 20);
  write_npy(fullfile(folder, 'trajectory.npy'), k, '<f8');
  write_npy(fullfile(folder, 'maps.npy'), maps, '<c8');
  write_npy(fullfile(folder, 'image.npy'), x, '<c8');
  assert(system(sprintf('"%s" "%s" default', program, folder)) == 0);
  for name = {'single', 'double'}
    class_of = str2func(name{1});
    A = larmor.Sense(k, class_of(maps), 'tolerance', 1e-5);
    y = A * class_of(x);
    results = {'samples', y; 'gridded', A' * y; 'normal', A.normal * class_of(x); ...
               'cg', larmor.cg(A, y, 'regularizer', 'l2:1e-2', 'iterations', 8); ...
               'fista', larmor.solve(A, y, 'solver', 'fista', 'regularizer', 'wavelet:1e-2', 'iterations', 6)};
    for i = 1:rows(results)
      high = single(results{i, 2});
      low = single(results{i, 2} - class_of(high));
      file = fullfile(folder, [results{i, 1} '_' name{1}]);
      assert(isequal(high(:), read_npy([file '.npy'])), file);
      assert(isequal(low(:), read_npy([file '_low.npy'])), file);
    end
  end
end

function write_npy(path, values, type)
  % The extents in the reverse order: column-major memory is row-major then.
  extents = sprintf('%d, ', fliplr(size(values)));
  header = sprintf('{''descr'': ''%s'', ''fortran_order'': False, ''shape'': (%s), }', type, extents);
  header = [header repmat(' ', 1, 117 - numel(header)) "\n"];
  file = fopen(path, 'w');
  fwrite(file, [147, double('NUMPY'), 1, 0, numel(header), 0]);
  fwrite(file, double(header));
  if iscomplex(values)
    fwrite(file, [real(values(:)) imag(values(:))].', 'single');
  else
    fwrite(file, values, 'double');
  end
  fclose(file);
end

function values = read_npy(path)
  file = fopen(path);
  start = fread(file, 10);
  fread(file, start(9) + 256 * start(10));
  numbers = fread(file, [2 Inf], 'single=>single');
  fclose(file);
  values = complex(numbers(1, :), numbers(2, :)).';
end

function x = plain_cg(A, y, iterations)
  % Conjugate gradients as toolboxes write them.
  r = A' * y;
  p = r;
  x = zeros(size(r));
  old = real(r' * r);
  for i = 1:iterations
    q = A' * (A * p);
    step = old / real(p' * q);
    x = x + step * p;
    r = r - step * q;
    new = real(r' * r);
    if new < 1e-24
      break
    end
    p = r + (new / old) * p;
    old = new;
  end
end

function test_larmor(recon_program, folder)
  % The classes against exact sums, in Octave: test_larmor(PROGRAM recon, FOLDER for files)
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

  % Solvers, and one that knows nothing but A*x and A'*y.
  close_to(larmor.cg(A, Ax, 'iterations', 60), x, 1e-4);
  close_to(larmor.solve(A, Ax, 'solver', 'fista', 'regularizer', 'l1:1e-9', 'iterations', 1000), x, 1e-2);
  close_to(plain_cg(A, Ax(:), 60), x(:), 1e-6);
  single_A = larmor.Sense(k, single(maps));
  assert(isa(single_A * single(x), 'single'));

  % Errors say what to do.
  fails(@() A * single(x), 'x is not complex of class double');
  fails(@() A * real(x), 'convert it, such as complex(double(x))');
  fails(@() A * random(5, 5), 'x is 5 x 5, expected 7 x 6');
  fails(@() larmor.Nufft(rand(2, 2), N), 'may be d x N or N x d');
  fails(@() larmor.Nufft(rand(4, 9), N), 'the trajectory is 4 x 9, expected 2 x N or N x 2');
  fails(@() larmor.Nufft(k, N, 'coil', 3), 'expected names and values; there are coils');
  fails(@() larmor.Nufft(k, N, 'tolerance', 1e-9), 'the best is');
  fails(@() larmor.solve(A, Ax, 'solver', 'newton'), 'unknown solver');

  % Objects go when their variables do.
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

function x = complex_of(x)
  % Numbers as complex ones of their class: MATLAB makes arrays real by itself where all imaginary parts are zero.
  if isreal(x) && isfloat(x)
    x = complex(x);
  end
end

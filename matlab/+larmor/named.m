function options = named(options, given)
  % Defaults, replaced by the options given as names and values.
  for i = 1:2:numel(given)
    if ~ischar(given{i}) || ~isfield(options, given{i}) || i == numel(given)
      error('larmor:error', 'expected names and values; there are %s', strjoin(fieldnames(options)', ', '));
    end
    options.(given{i}) = given{i + 1};
  end
end

# bash completion for recon; made by `recon completion`
_recon() {
  local command="${COMP_WORDS[1]:-}" current="${COMP_WORDS[COMP_CWORD]}"
  local previous="${COMP_WORDS[COMP_CWORD - 1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "run info simulate maps density psf tune compare bench completion --help --version" -- "$current")
    return
  fi
  case "$command $previous" in
    "run --solver") words="auto cg lsmr fista admm pdhg gridding" ;;
    "run --toeplitz") words="auto on off" ;;
    "run --precision") words="single double" ;;
    "run --tune") words="estimate measure exhaustive wisdom" ;;
    "run --density") words="pipe analytic voronoi none" ;;
    "run --calibrate") words="espirit walsh nlinv none" ;;
    "run --calibration-readouts") words="auto maps image" ;;
    "run --compression") words="svd geometric" ;;
    "run --combine") words="sense rss none" ;;
    "run --traj-units") words="auto normalised cycles/fov radians 1/m rad/m" ;;
    "run --generate") words="golden tiny-golden uniform cartesian" ;;
    "run --fov-shift") words="none apply" ;;
    "run --gpus") words="all N LIST" ;;
    "run --split") words="auto frames coils samples" ;;
    "info --calibrate") words="espirit walsh nlinv none" ;;
    "info --calibration-readouts") words="auto maps image" ;;
    "info --compression") words="svd geometric" ;;
    "info --traj-units") words="auto normalised cycles/fov radians 1/m rad/m" ;;
    "info --generate") words="golden tiny-golden uniform cartesian" ;;
    "info --fov-shift") words="none apply" ;;
    "simulate --trajectory") words="radial spiral kooshball stack-of-stars rotated-stack-of-stars cartesian" ;;
    "simulate --order") words="golden tiny-golden uniform" ;;
    "maps --calibrate") words="espirit walsh nlinv none" ;;
    "maps --calibration-readouts") words="auto maps image" ;;
    "maps --compression") words="svd geometric" ;;
    "maps --traj-units") words="auto normalised cycles/fov radians 1/m rad/m" ;;
    "maps --generate") words="golden tiny-golden uniform cartesian" ;;
    "maps --fov-shift") words="none apply" ;;
    "density --density") words="pipe analytic voronoi none" ;;
    "density --traj-units") words="auto normalised cycles/fov radians 1/m rad/m" ;;
    "density --generate") words="golden tiny-golden uniform cartesian" ;;
    "density --fov-shift") words="none apply" ;;
    "psf --density") words="pipe analytic voronoi none" ;;
    "psf --traj-units") words="auto normalised cycles/fov radians 1/m rad/m" ;;
    "psf --generate") words="golden tiny-golden uniform cartesian" ;;
    "psf --fov-shift") words="none apply" ;;
    "tune --level") words="estimate measure exhaustive wisdom" ;;
    "tune --for") words="forward adjoint both" ;;
    "tune --method") words="any gridding matrix" ;;
    "tune --precision") words="single double" ;;
    "tune --calibrate") words="espirit walsh nlinv none" ;;
    "tune --calibration-readouts") words="auto maps image" ;;
    "tune --compression") words="svd geometric" ;;
    "tune --traj-units") words="auto normalised cycles/fov radians 1/m rad/m" ;;
    "tune --generate") words="golden tiny-golden uniform cartesian" ;;
    "tune --fov-shift") words="none apply" ;;
    "compare --mask") words="FRACTION" ;;
    "compare --inside") words="TRAJECTORY ball disc" ;;
    "bench --size") words="quick normal full" ;;
  esac
  if [ -z "$words" ] && [[ "$current" == -* ]]; then
    case "$command" in
    run) words="--help -o --output --overwrite --report --trace --magnitude --phase --complex --regularizer --solver --iterations --tolerance --checkpoint --checkpoint-every --toeplitz --nufft-tolerance --precision --tune --wisdom --density --calibrate --calibration-readouts --sets --coils --compression --noise --no-whiten --maps --calibration --combine --matrix --fov --solve-fov --trajectory --traj-units --traj-layout --generate --delay --gradient-response --fov-shift --conjugate --group --slice --contrast --cardiac-phase --repetition --set --encoding --device --threads --memory --deterministic --quiet --verbose --gpus --ranks --split --replicas --seed --field-map --r2star --field-weight --window --bins --basis --dictionary --coefficients" ;;
    info) words="--help --json --calibrate --calibration-readouts --sets --coils --compression --noise --no-whiten --matrix --fov --solve-fov --trajectory --traj-units --traj-layout --generate --delay --gradient-response --fov-shift --conjugate --group --slice --contrast --cardiac-phase --repetition --set --encoding --device --threads --memory --deterministic --quiet --verbose --field-map --r2star --field-weight --window --bins --basis --dictionary --coefficients" ;;
    simulate) words="--help --trajectory --matrix --fov --coils --readouts --spokes --interleaves --samples --order --noise --seed --truth --maps --overwrite --device --threads --memory --deterministic --quiet --verbose" ;;
    maps) words="--help -o --output --overwrite --calibrate --calibration-readouts --sets --coils --compression --noise --no-whiten --matrix --fov --solve-fov --trajectory --traj-units --traj-layout --generate --delay --gradient-response --fov-shift --conjugate --group --slice --contrast --cardiac-phase --repetition --set --encoding --device --threads --memory --deterministic --quiet --verbose" ;;
    density) words="--help -o --output --overwrite --density --matrix --fov --solve-fov --trajectory --traj-units --traj-layout --generate --delay --gradient-response --fov-shift --conjugate --group --slice --contrast --cardiac-phase --repetition --set --encoding --device --threads --memory --deterministic --quiet --verbose" ;;
    psf) words="--help --mask -o --output --overwrite --json --density --matrix --fov --solve-fov --trajectory --traj-units --traj-layout --generate --delay --gradient-response --fov-shift --conjugate --group --slice --contrast --cardiac-phase --repetition --set --encoding --device --threads --memory --deterministic --quiet --verbose" ;;
    tune) words="--help --level --for --method --oversampling --seconds --bytes --wisdom --show --clear --nufft-tolerance --precision --calibrate --calibration-readouts --sets --coils --compression --noise --no-whiten --matrix --fov --solve-fov --trajectory --traj-units --traj-layout --generate --delay --gradient-response --fov-shift --conjugate --group --slice --contrast --cardiac-phase --repetition --set --encoding --device --threads --memory --deterministic --quiet --verbose" ;;
    compare) words="--help --mask --inside --magnitude --memory --json" ;;
    bench) words="--help --size --only --report --json --overwrite --device --threads --memory --deterministic --quiet --verbose" ;;
    completion) words="--help" ;;
    esac
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
  if [ ${#COMPREPLY[@]} -eq 0 ]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _recon recon

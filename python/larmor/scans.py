"""Scans: read or simulated, reconstructed completely or step by step."""
from __future__ import annotations

import inspect
import json
import operator
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, ParamSpec, Sequence, TypeVar

import numpy as np

from . import _larmor
from .arrays import Context, columns_reversed, context_for, is_array, on_host, text, whole
from .errors import UsageError
from .notebook import as_html
from .operators import Order, is_zyx
from .options import Options
from .ranks import Ranks

if TYPE_CHECKING:
    from typing_extensions import Unpack

_P = ParamSpec("_P")
_R = TypeVar("_R")

_COMPLEX = {"maps": np.complex64, "basis": np.complex128, "dictionary": np.complex128,
            "gradient_response": np.complex128}
_ARRAYS = {"trajectory", "density", "maps", "field_map", "r2star", "field_weight", "band_phases", "bins", "basis",
           "dictionary", "gradient_response", "motion"}
_MACHINE = ("device", "threads", "memory", "deterministic")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (bytes, os.PathLike)):
        return _path(value)
    text = str(value)
    if "\0" in text:
        raise UsageError(f"{text!r} contains a zero character")
    return text


def _path(path: str | bytes | os.PathLike[Any]) -> str:
    name = os.fsdecode(path)
    if "\0" in name:
        raise UsageError(f"the path {name!r} contains a zero character")
    return name


# x, y(, z) of a matrix or a field of view; zeros where it is not given.
def _three(value: Any, number: Callable[[Any], Any]) -> list[Any]:
    if value is None:
        return [0, 0, 0]
    values = [number(part) for part in (value if np.ndim(value) > 0 else (value, value))]
    return values * 2 if len(values) == 1 else values


def _points(trajectory: Any, order: Order | None) -> np.ndarray:
    """A trajectory array with columns x, y(, z), float64."""
    points: np.ndarray = on_host(trajectory, np.float64)
    return columns_reversed(points) if is_zyx(order, points.shape[-1] if points.ndim else 1) else points


def _named(options: dict[str, Any], order: Order | None) -> list[tuple[str, Any]]:
    """Options as the module takes them: texts as on the command line, and arrays."""
    options = dict(options)
    trajectory = options.get("trajectory")
    if is_array(trajectory) or isinstance(trajectory, (list, tuple)):
        options["trajectory"] = _points(trajectory, order)
    elif order is not None:
        raise UsageError("order is for an array trajectory=, which is not given: the columns of a file are x, y, z")
    result: list[tuple[str, Any]] = []
    for name, value in options.items():
        if value is None:
            continue
        if name in _ARRAYS and (is_array(value) or isinstance(value, (list, tuple))):
            result.append((name, on_host(value, _COMPLEX.get(name, np.float64))))
            continue
        if is_array(value):  # numbers of NumPy too
            value = value.tolist()
        if name == "regularizer":
            terms = [value] if not isinstance(value, (list, tuple)) else value
            result.extend((name, getattr(term, "text", None) or _text(term)) for term in terms)
        elif isinstance(value, range):
            result.append((name, f"{value.start}:{value.stop}"))
        elif isinstance(value, (list, tuple)):
            result.append((name, ",".join(_text(part) for part in value)))
        else:
            result.append((name, _text(value)))
    return result


class Scan:
    """The readouts of a raw-data file, as stored."""

    def __init__(self, handle: _larmor.Scan) -> None:
        self.handle = handle

    @classmethod
    def from_arrays(cls, kspace: Any, trajectory: Any = None, *, order: Order | None = None, matrix: Any = None, fov: Any = None,
                    axes: str | list[str] | None = None, bands: int = 1) -> Scan:
        """A scan made from arrays, as if read from a file.

        Args:
            kspace: complex, [(frames,) coils, readouts, samples], or [coils, samples] with a trajectory [samples, dims]; other
                orders are named by `axes`.
            trajectory: [(frames,) readouts, samples, dims] or [all samples, dims], in the units that are given by
                reconstruct(traj_units=...) or detected. Lines need no trajectory.
            order: required with a trajectory. "xyz": its column 0 belongs to the last axis of the image [(z,) y, x] (ISMRMRD,
                BART). "zyx": its column i belongs to axis i (SigPy, mri-nufft, FINUFFT).
            matrix: of the image, x, y(, z); one number for a square.
            fov: in mm, x, y(, z); pixels of 1 mm without it. z is also the distance of slices.
            axes: the axes of kspace, such as "slices,coils,readouts,samples"; also partitions, and lines, the readouts of a
                Cartesian scan.
            bands: number of slices excited together; partitions are then Fourier steps along them.
        """
        kspace = on_host(kspace, np.complex64)
        if trajectory is not None:
            trajectory = _points(trajectory, order)
            if axes is None and kspace.ndim == trajectory.ndim == 2:
                if kspace.shape[1] != trajectory.shape[0]:
                    raise UsageError(f"kspace is {list(kspace.shape)} and trajectory {list(trajectory.shape)}, expected [coils, "
                                     "samples] and [samples, dims]")
                if kspace.shape[1] > 65535:
                    raise UsageError(f"kspace has {kspace.shape[1]} samples in one readout, expected at most 65535: give "
                                     "[coils, readouts, samples] and [readouts, samples, dims]")
                kspace, trajectory = kspace[:, None], trajectory[None]
        names = axes.split(",") if isinstance(axes, str) else list(axes or [])
        return cls(_larmor.scan_from_arrays(kspace, names, trajectory, _three(matrix, operator.index), _three(fov, float),
                                             operator.index(bands)))

    @property
    def source(self) -> str:
        """The file's name."""
        return self.handle.source

    @property
    def xml_header(self) -> str:
        """The ISMRMRD header."""
        return self.handle.xml_header

    @property
    def waveforms(self) -> list[dict[str, Any]]:
        """Pieces of physiological signals: id (0 ECG, 1 pulse, 2 respiration), time_stamp in 2.5 ms, sample_time_us, and
        values [channels, samples], of several channels the last for triggers."""
        return self.handle.waveforms

    def __len__(self) -> int:
        """Number of readouts."""
        return len(self.handle)

    def readout(self, index: int) -> dict[str, Any]:
        """A readout's header, its data [channels, samples] and trajectory [samples, dims] as read-only arrays."""
        return self.handle.readout(operator.index(index) + (len(self) if index < 0 else 0))

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes an ISMRMRD file."""
        self.handle.write(_path(path), overwrite)

    def select(self, *, order: Order | None = None, **options: Unpack[Options]) -> Selection:
        """The first step of a reconstruction: selects readouts, units, grids and channels. order, options: see reconstruct()."""
        return Selection(self, dict(options), order=order)

    def __repr__(self) -> str:
        return f"<larmor Scan {self.source!r}, {len(self)} readouts>"


def read_ismrmrd(path: str | os.PathLike[str], *, group: str = "", external_trajectory: bool = False) -> Scan:
    """Reads ISMRMRD raw data, in a separate process without access to anything else.

    external_trajectory: the trajectory is given later, so the file need not contain one.
    """
    return Scan(_larmor.read_ismrmrd(context_for(None, None), _path(path), group, external_trajectory))


@dataclass(repr=False)
class Image:
    """A reconstructed image or volume, in the units of the unscaled Fourier sum."""

    pixels: np.ndarray
    """[z, y, x], or [coil, z, y, x] where coils are not combined; complex64."""
    fov_mm: tuple[float, float, float]
    position: tuple[float, float, float]
    read_dir: tuple[float, float, float]
    phase_dir: tuple[float, float, float]
    slice_dir: tuple[float, float, float]
    counters: dict[str, int]

    def __repr__(self) -> str:
        return f"<larmor Image {list(self.pixels.shape)}, {' x '.join(f'{mm:g}' for mm in self.fov_mm)} mm>"

    def _repr_html_(self) -> str:
        return as_html(repr(self)[1:-1], self.pixels, {}, [])


def _images(handles: list[dict[str, Any]]) -> list[Image]:
    def image(handle: dict[str, Any]) -> Image:
        parts: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in handle.items()}
        return Image(**parts)

    return [image(handle) for handle in handles]


class Reconstruction:
    """Images, and the report of their reconstruction."""

    def __init__(self, handle: _larmor.Reconstruction) -> None:
        self.handle = handle
        self.images: list[Image] = _images(handle.images())
        self.report: dict[str, Any] = json.loads(handle.report)

    @property
    def pixels(self) -> np.ndarray:
        """All images as one array, without axes of length 1: [(images,) (coils,) (z,) y, x]."""
        if not self.images:
            raise UsageError("there are no images here: rank 0 has them")
        stacked = np.stack([image.pixels for image in self.images])
        keep = [n for i, n in enumerate(stacked.shape) if n != 1 or i >= stacked.ndim - 2]
        return stacked.reshape(keep)

    def __repr__(self) -> str:
        images = f"{len(self.images)} of {list(self.images[0].pixels.shape)}" if self.images else "no images here"
        return f"<larmor Reconstruction {images}, {', '.join(f'{k} {v}' for k, v in self._numbers().items())}>"

    def _numbers(self) -> dict[str, str]:
        expected, one = self.report["expected"], self.report["images"]
        return {"expected error": f"{100 * expected['error']:.2g} %" if expected else "unknown",
                "unexplained": f"{100 * one[0]['unexplained']:.2g} %" if one and one[0]["unexplained"] is not None else "unknown",
                "time": f"{self.report['seconds']['total']:.2g} s"}

    def _repr_html_(self) -> str:
        return as_html(repr(self)[1:].partition(",")[0], self.images[len(self.images) // 2].pixels if self.images else np.zeros(0),
                       self._numbers(), self.report["warnings"])

    @property
    def deviation(self) -> list[Image]:
        """Noise in the magnitude images, if replicas were requested."""
        return _images(self.handle.deviation())

    @property
    def signal_to_noise(self) -> list[Image]:
        """|image| over its noise, if replicas were requested."""
        return _images(self.handle.signal_to_noise())

    @property
    def g_factor(self) -> list[Image]:
        """Noise relative to a fully sampled Cartesian scan, if replicas were requested."""
        return _images(self.handle.g_factor())

    def write(self, path: str | os.PathLike[str], *, kind: str = "magnitude", overwrite: bool = False, sidecar: bool = False,
              keep_patient: bool = False, frame_seconds: float = 0) -> None:
        """Writes .nii, .nii.gz, .h5, .png, .npy, .cfl or .dcm. kind: "magnitude", "phase" or "complex".

        sidecar: write a BIDS sidecar for NIfTI. keep_patient: DICOM and sidecars contain patient, dates and places.
        frame_seconds: from one repetition to the next, for NIfTI and its sidecar; 0: not known.
        """
        self.handle.write(_path(path), kind, overwrite, sidecar, keep_patient, frame_seconds)


def _context(options: dict[str, Any], context: Context | None) -> Context:
    """The context for the options device, threads, memory and deterministic, which are removed from `options`."""
    wanted = {name: options.pop(name) for name in _MACHINE if options.get(name) is not None}
    if not wanted:
        return context_for(context, None)
    if context is not None:
        raise UsageError(f"{' and '.join(wanted)} and context exclude each other")
    if set(wanted) == {"device"}:
        return context_for(None, wanted["device"])
    return Context(wanted.get("device", "cpu"), int(wanted.get("threads", 0)), bool(wanted.get("deterministic", False)),
                   int(wanted.get("memory", 0)))


def _progress(callback: Any) -> Any:
    """A callable of (stage, done, total, detail): the user's own, or a bar of tqdm."""
    if callback is not None and not hasattr(callback, "update") and not callable(callback):
        raise UsageError(f"callback is {callback!r}, expected a function of (stage, done, total, detail) or a bar of tqdm")
    if callback is None or not hasattr(callback, "update"):
        return callback

    bar: Any = callback

    def show(stage: str, done: int, total: int, detail: str) -> None:
        if bar.total != total or bar.desc != stage:
            bar.reset(total=total)
            bar.set_description_str(stage)
            bar.desc = stage
        bar.update(done - bar.n)

    return show


def _options_shown(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function with the options in its signature and help."""
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__)
               for name, kind in Options.__annotations__.items() if name not in signature.parameters]
    setattr(function, "__signature__", signature.replace(parameters=own + options))
    helps = "".join(f"\n    {name}: {text}" for name, _, _, text in _larmor.options())
    function.__doc__ = f"{function.__doc__}{helps}\n    "
    return function


@_options_shown
def reconstruct(scan: Scan | str | os.PathLike[str] | None = None, *, kspace: Any = None, kspace_axes: str | list[str] | None = None,
                order: Order | None = None, callback: Any = None, context: Context | None = None, ranks: Ranks | None = None,
                **options: Unpack[Options]) -> Reconstruction:
    """Reconstructs images from raw data.

    scan: an ISMRMRD file or a Scan; or arrays, as for Scan.from_arrays(): kspace=, trajectory=, matrix=, fov=,
    kspace_axes=. order: required for an array trajectory=, as in Scan.from_arrays(); files have columns x, y, z.

    options: those of `recon run`, with _ instead of -, such as regularizer="wavelet:auto", iterations=50, matrix=(64, 48),
    no_whiten=True. Arrays replace files: trajectory, density, maps, field_map, r2star, field_weight, band_phases,
    bins, basis, dictionary, gradient_response, motion; noise may be a Scan.

    callback(stage, done, total, detail) reports the progress; a tqdm bar can be used instead. Ctrl-C stops at
    the end of an iteration.

    ranks: from init_distributed(). All ranks call this function for the same scan and options; rank 0 returns the images.
    split: the dimension that is distributed, "auto", "frames" or "coils".
    """
    if ranks is not None and not isinstance(ranks, Ranks):
        raise UsageError(f"ranks is {ranks!r}, expected the result of init_distributed()")
    if (scan is None) == (kspace is None):
        raise UsageError("expected either a scan or kspace, an array, with its trajectory")
    if scan is None:
        scan = Scan.from_arrays(kspace, options.pop("trajectory", None), order=order, matrix=options.get("matrix"),
                                fov=options.get("fov"), axes=kspace_axes, bands=options.get("bands") or 1)
        order = None
    if ranks is None:
        return _reconstructed(scan, callback, context, None, dict(options), order)
    try:
        return _reconstructed(scan, callback, context, ranks.handle, dict(options), order)
    except BaseException as error:  # the other ranks would wait for this one
        if ranks.size > 1:
            ranks.abort(str(error) or type(error).__name__)
        raise


def _reconstructed(scan: Scan | str | os.PathLike[str], callback: Any, context: Context | None, ranks: _larmor.Ranks | None,
                   options: dict[str, Any], order: Order | None) -> Reconstruction:
    if not isinstance(scan, Scan):
        scan = read_ismrmrd(scan, group=options.pop("group", ""), external_trajectory=options.get("trajectory") is not None)
    machine = _context(options, context)
    noise = options.pop("noise").handle if isinstance(options.get("noise"), Scan) else None
    return Reconstruction(_larmor.reconstruct(machine, scan.handle, _named(options, order), noise, _progress(callback),
                                              ranks))


def coil_maps(scan: Scan | str | os.PathLike[str], *, order: Order | None = None, context: Context | None = None,
              **options: Unpack[Options]) -> np.ndarray:
    """Estimates coil maps for reconstruct(maps=...), as `recon maps` does.

    Args:
        scan: an ISMRMRD file or a Scan.
        order, options: those of reconstruct() that concern the scan and its maps, such as calibrate="nlinv", matrix=192, sets=2,
            or calibration="other.h5", which estimates the maps from another scan.

    Returns:
        Complex maps in the scan's channels, without unit, [(slices,) (sets,) coils, (z,) y, x], complex64. Their root sum of
        squares is 1, or 0 where there is no signal. They have the grid and position of this scan, and only suit scans at the same
        position; for others, use calibration="...", or a file of `recon maps`, which contains the position.
        Selection.coil_maps() returns the maps for the samples of Selection.load(), which are whitened.

    Raises:
        UsageError: maps or combine are given.
        InputError: the scan cannot be read, or has too few samples in the centre of k-space to estimate maps.
    """
    given: dict[str, Any] = dict(options)
    if not isinstance(scan, Scan):
        scan = read_ismrmrd(scan, group=given.pop("group", ""), external_trajectory=given.get("trajectory") is not None)
    machine = _context(given, context)
    noise = given.pop("noise").handle if isinstance(given.get("noise"), Scan) else None
    return np.asarray(_larmor.coil_maps(machine, scan.handle, _named(given, order), noise))


def field_map(scan: Scan | str | os.PathLike[str], *, echo_times: Sequence[float] = (), order: Order | None = None,
              context: Context | None = None, **options: Unpack[Options]) -> np.ndarray:
    """Off-resonance in Hz, [(slices,) (z,) y, x], from the contrasts of a scan, for reconstruct(field_map=...).

    The array has the grid of the echoes and no position. For a scan on another grid, give reconstruct() the file of
    `recon fieldmap`, which is interpolated.

    echo_times: of each contrast in ms; otherwise the header's. order, options: those of reconstruct(), for the echoes' images.
    """
    given: dict[str, Any] = dict(options)
    if not isinstance(scan, Scan):
        scan = read_ismrmrd(scan, group=given.pop("group", ""), external_trajectory=given.get("trajectory") is not None)
    machine = _context(given, context)
    return np.asarray(_larmor.field_map(machine, scan.handle, _named(given, order), [float(time) for time in echo_times]))


def match(images: Any, dictionary: Any, *, values: Any = None, names: str | Sequence[str] = (), basis: Any = None,
          coefficients: int = 0, context: Context | None = None) -> dict[str, np.ndarray]:
    """Tissue parameters of each voxel, from the best-fitting time course: {"T1": ..., "T2": ..., "PD": ...}.

    Args:
        images: frames [frames, (z,) y, x], or coefficients, as returned by reconstruct().
        dictionary: a signal model ("spin-echo:TE=10:echoes=32", as for recon match), with T1 and T2 in ms; or time courses
            [entries, frames].
        values: parameters of the time courses, [entries, parameters].
        names: names of these parameters.
        basis: the basis given to reconstruct(), if images are coefficients.
        coefficients: the number of coefficients given to reconstruct().

    Returns:
        A map for each parameter, and PD, the complex factor of the time course.
    """
    parameters = names.split(",") if isinstance(names, str) else list(names)
    courses = dictionary if isinstance(dictionary, str) else on_host(dictionary, np.complex128)
    return dict(_larmor.match(context_for(context, None), on_host(images, np.complex64), courses,
                              None if values is None else on_host(values, np.float64), parameters,
                              None if basis is None else on_host(basis, np.complex128), operator.index(coefficients)))


def option_names() -> list[str]:
    """The names of the options of reconstruct()."""
    return [name for name, *_ in _larmor.options()]


@dataclass
class ImageData:
    """The data of one image, ready for an operator."""

    trajectory: np.ndarray
    """[samples, dims] in cycles per pixel of the grid that is solved on, columns x, y(, z)."""
    samples: np.ndarray
    """[coils, samples], whitened and compressed."""
    weights: np.ndarray | None
    """Density weights that the file has."""


class Selection:
    """The selected part of a scan, its grids, and the conversion of its channels to coils.

    The steps of a reconstruction: load() returns an image's data, coil_maps() estimates its maps, a Nufft times
    CoilMaps is the model, a solver finds x, and image_of() gives the image that reconstruct() would.
    """

    def __init__(self, scan: Scan, options: dict[str, Any], context: Context | None = None, *,
                 order: Order | None = None) -> None:
        options = dict(options)
        machine = _context(options, context)
        noise = options.pop("noise").handle if isinstance(options.get("noise"), Scan) else None
        self.handle = _larmor.select(machine, scan.handle, _named(options, order), noise)

    @property
    def shape(self) -> tuple[int, ...]:
        """The solve grid, [(z,) y, x]."""
        return self.handle.shape

    @property
    def image_shape(self) -> tuple[int, ...]:
        """The grid of the written image."""
        return self.handle.image_shape

    @property
    def coils(self) -> int:
        """After compression."""
        return self.handle.coils

    @property
    def notes(self) -> list[str]:
        """The decisions, as text."""
        return self.handle.notes

    def __len__(self) -> int:
        """Number of images."""
        return self.handle.images

    def load(self, image: int = 0) -> ImageData:
        """The data of an image."""
        return ImageData(**self.handle.load(image))

    def coil_maps(self, image: int = 0) -> np.ndarray:
        """The maps of an image, [coils, (z,) y, x], given or estimated, for the samples of load(): whitened and compressed like
        them. reconstruct(maps=...) takes maps of the scan's own channels instead: those of larmor.coil_maps()."""
        return np.asarray(self.handle.coil_maps(image))

    def image_of(self, x: Any, image: int = 0) -> np.ndarray:
        """Converts a solution on the solve grid to the written image."""
        x = on_host(x, np.complex64)
        if x.shape != self.shape:
            raise UsageError(f"x has the shape {list(x.shape)}, expected {list(self.shape)}")
        return np.asarray(self.handle.image_of(x, image))


def simulate(trajectory: str = "radial", matrix: int | tuple[int, ...] = 128, *, coils: int = 8, readouts: int = 0,
             samples: int = 0, noise: float = 0.01, seed: int = 1, field: float = 0,
             echo_times: Sequence[float] = (), bands: int = 1, caipi: float = 0,
             references: bool = False, signal: str = "", chest: tuple[float, float] | None = None) -> tuple[Scan, np.ndarray, np.ndarray]:
    """Simulates a scan of a head; returns it with the true image and coil maps. The k-space is a closed form, not a transform.

    Args:
        trajectory: "radial", "spiral", "kooshball", "stack-of-stars", "rotated-stack-of-stars" or "cartesian".
        matrix: x, y, z.
        field: amplitude of a smooth off-resonance in Hz.
        echo_times: echo times of the contrasts, in ms.
        bands: number of slices excited together.
        caipi: each band is displaced by 1/caipi of the field of view from the previous one; 0: as many as bands.
        references: each band is also measured alone, as calibration readouts.
        signal: a signal model, as for recon match; the object is then tubes of known T1 and T2.
        chest: heart beats and breaths per minute of a simulated chest.
    """
    sizes = [whole(size, "matrix") for size in np.atleast_1d(matrix).tolist()]
    volume = trajectory in ("kooshball", "stack-of-stars", "rotated-stack-of-stars")
    if len(sizes) == 1:
        sizes = sizes * 3 if volume else [sizes[0], sizes[0], 1]
    if len(sizes) == 2:
        sizes.append(1)
    handle, truth, maps = _larmor.simulate(context_for(None, None), text(trajectory, "trajectory", "radial"), sizes, whole(coils, "coils"),
                                           whole(readouts, "readouts"), whole(samples, "samples"), float(noise),
                                           whole(seed, "seed"), float(field), [float(time) for time in echo_times],
                                           whole(bands, "bands"), float(caipi), references, signal, None if chest is None else [float(rate) for rate in chest])
    return Scan(handle), truth, maps


__all__ = ["Scan", "Selection", "Image", "ImageData", "Reconstruction", "read_ismrmrd", "reconstruct", "coil_maps", "field_map",
           "match", "option_names", "simulate"]

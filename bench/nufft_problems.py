"""The problems of nufft_against_finufft.py: points and data, and exact sums at a thousand targets."""
import concurrent.futures
import dataclasses
import os

import numpy as np

TARGETS = 1024
TWO_PI = 2 * np.longdouble("3.14159265358979323846264338327950288")


def radial():
    """402 spokes of 512 samples by the golden angle."""
    spokes, samples = 402, 512
    angle = np.arange(spokes)[:, None] * np.pi / ((1 + np.sqrt(5)) / 2)
    radius = (np.arange(samples)[None, :] - samples // 2) / samples
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(-1, 2)


def kooshball():
    """10000 spokes of 200 samples from the centre, by the two-dimensional golden means."""
    spokes, samples = 10000, 200
    s = np.arange(spokes)
    z = 2 * np.mod(0.465571231876768 * s, 1) - 1
    azimuth = 2 * np.pi * np.mod(0.682327803828019 * s, 1)
    across = np.sqrt(1 - z * z)
    directions = np.stack([across * np.cos(azimuth), across * np.sin(azimuth), z], axis=-1)
    return (directions[:, None, :] * (np.arange(samples) / (2 * samples))[None, :, None]).reshape(-1, 3)


def uniform(count, dims, extent=1.0, seed=7):
    return np.random.default_rng(seed).uniform(-extent / 2, extent / 2, (count, dims))


@dataclasses.dataclass
class Problem:
    """points [n, dims] (columns x, y, z) in cycles per mode; modes (z,) (y,) x, or frequencies [m, dims] for type 3."""
    name: str
    make: object
    modes: tuple = None
    make_frequencies: object = None
    coils: int = 1
    float_tolerances: tuple = ()
    double_tolerances: tuple = ()
    pattern: str = ""


def laid_out(pattern, count, modes, seed=7):
    """Points of a pattern. Spokes and spirals are in planes (in one dimension their projection on an axis, in three a stack);
    clustered points are all within four modes of one corner."""
    dims, side = len(modes), modes[-1]
    if pattern in ("random", "clustered"):
        return uniform(count, dims, 1.0 if pattern == "random" else min(1.0, 4 / side), seed)
    readout, sample = np.divmod(np.arange(count), length := int(np.clip(2 * side, 16, count)))
    along, turn = sample / length, readout * (np.sqrt(5) - 1) / 2
    if pattern == "kooshball":
        z = 2 * np.mod(0.465571231876768 * readout, 1) - 1
        across, azimuth = np.sqrt(1 - z * z), 2 * np.pi * 0.682327803828019 * readout
        return (along[:, None] - 0.5) * np.stack([across * np.cos(azimuth), across * np.sin(azimuth), z], axis=-1)
    if pattern == "radial":
        radius, angle = along - 0.5, np.pi * turn
    else:
        radius, angle = 0.5 * np.sqrt(along), 2 * np.pi * (turn + 0.25 * np.sqrt(side * along))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.mod(turn, 1) - 0.5][:dims], axis=-1)


def drawn(pattern, count, modes, coils, double, tolerance):
    """A problem of one tolerance and precision."""
    size = "x".join(map(str, modes)) + (f"_{coils}coils" if coils > 1 else "")
    return Problem(f"{len(modes)}d_{pattern}_{count}_to_{size}", lambda: laid_out(pattern, count, modes), modes, coils=coils,
                   pattern=pattern, **{"double_tolerances" if double else "float_tolerances": (tolerance,)})


def map_problems(seed, count):
    """Problems whose lead was once small, then random ones: no round numbers, about a second of one thread at most."""
    yield from (drawn(*problem) for problem in (
        ("random", 1000000, (1000,), 1, False, 1e-5), ("random", 5000000, (4000,), 1, True, 1e-6),
        ("random", 5000000, (500000,), 1, True, 1e-6), ("random", 2000000, (512, 512), 1, True, 1e-6),
        ("kooshball", 1000000, (96,) * 3, 1, True, 1e-6), ("random", 2000000, (128,) * 3, 1, False, 1e-3),
        ("radial", 402 * 512, (256, 256), 32, False, 1e-3)))
    rng = np.random.default_rng(seed)
    for number in range(count):
        dims, double, coils = 1 + number % 3, bool(number // 3 % 2), int(rng.choice([1, 1, 8]))
        digits = int(rng.choice([2, 4, 6, 8, 10, 12] if double else [2, 3, 4, 5]))
        pattern = str(rng.choice(["random", "clustered", "radial", "spiral"] + ["kooshball"] * (dims == 3)))
        side = points = 0
        while not (side >= 10 and side**dims * coils <= 4e6 and 1e4 <= points <= 3e6 and points * coils * (digits + 1)**dims <= 4e8):
            side = int((10.0**rng.integers(2, 7) * rng.uniform(0.7, 1.4))**(1 / dims))
            side -= side % int(side**0.5) if dims == 1 and side > 5000 else 0  # exact sums split long lines in two
            points = int(side**dims * 10.0**rng.integers(-1, 5) * rng.uniform(0.6, 1.5))
        yield drawn(pattern, points, (side,) * dims, coils, double, 10.0**-digits)


def clustered(modes):
    """Uniform in 8 cells per axis of the grid at oversampling 2."""
    return lambda: uniform(1000000, len(modes), 8 / (2 * modes[0]))


ALL_FLOAT, ALL_DOUBLE = (1e-2, 1e-3, 1e-4, 1e-5), (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
LINE, SQUARE, CUBE = (1000000,), (1000, 1000), (100, 100, 100)
PROBLEMS = [
    Problem("radial_402x512_256_16coils", radial, (256, 256), coils=16, float_tolerances=(1e-3, 1e-4)),
    Problem("radial_402x512_256_1coil", radial, (256, 256), float_tolerances=(1e-3, 1e-4)),
    Problem("kooshball_2e6_128_8coils", kooshball, (128,) * 3, coils=8, float_tolerances=(1e-3, 1e-4)),
    Problem("kooshball_2e6_128_1coil", kooshball, (128,) * 3, float_tolerances=(1e-3, 1e-4)),
    Problem("type3_2d_65536_to_65536", lambda: uniform(1 << 16, 2),
            make_frequencies=lambda: uniform(1 << 16, 2, 256, seed=8), float_tolerances=(1e-3, 1e-5),
            double_tolerances=(1e-9,)),
    Problem("type3_2d_1048576_to_1024", lambda: uniform(1 << 20, 2),
            make_frequencies=lambda: uniform(1 << 10, 2, 1024, seed=8), float_tolerances=(1e-3, 1e-5),
            double_tolerances=(1e-9,)),
    Problem("clustered_1d", clustered(LINE), LINE, float_tolerances=(1e-2, 1e-4)),
    Problem("clustered_2d", clustered(SQUARE), SQUARE, float_tolerances=(1e-2, 1e-4)),
    Problem("clustered_3d", clustered(CUBE), CUBE, float_tolerances=(1e-2, 1e-4)),
    Problem("random_1d", lambda: uniform(1000000, 1), LINE, float_tolerances=ALL_FLOAT, double_tolerances=ALL_DOUBLE),
    Problem("random_2d", lambda: uniform(1000000, 2), SQUARE, float_tolerances=ALL_FLOAT,
            double_tolerances=ALL_DOUBLE),
    Problem("random_3d", lambda: uniform(1000000, 3), CUBE, float_tolerances=ALL_FLOAT, double_tolerances=ALL_DOUBLE),
]


def noise(shape, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return values.astype(np.complex64)  # the same values in both precisions


class Coordinates:
    """Cycles as a sum of two doubles, the first of 26 bits: its products with integers below 2^26 are exact."""

    def __init__(self, cycles):
        self.high = np.rint(cycles.astype(float) * 2.0**26) / 2.0**26
        self.low = (cycles - self.high).astype(float)

    def __getitem__(self, index):
        part = object.__new__(Coordinates)
        part.high, part.low = self.high[index], self.low[index]
        return part

    def waves(self, integers, sign):
        """exp(sign 2πi n k), [integers, points]."""
        n = np.asarray(integers, float)[:, None]
        cycles = n * self.high[None, :]
        cycles -= np.rint(cycles)
        cycles += n * self.low[None, :]
        cycles *= 2 * np.pi
        result = np.empty(cycles.shape, complex)
        np.cos(cycles, out=result.real)
        np.sin(cycles, out=result.imag)
        if sign < 0:
            np.conjugate(result, out=result)
        return result


def in_chunks(count, size, work):
    """The sum of work(slice) over [0, count), by several threads."""
    slices = [slice(begin, min(count, begin + size)) for begin in range(0, count, size)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(work, slices))


class ExactSums:
    """Sums in double of one problem, whose points are as given or as a library rounds them."""

    def __init__(self, problem, points):
        rng = np.random.default_rng(3)
        self.samples = rng.integers(0, len(points), TARGETS)
        if problem.modes is None:
            self.points = points.astype(float)
            return
        # A long axis is split in two; modes are those of a grid of a few indices along each axis.
        self.axes = []  # (column of points, integers along the axis)
        for column, n in enumerate(problem.modes[::-1]):
            parts = 1 if n < 5000 else next(p for p in range(int(np.sqrt(n)), 0, -1) if n % p == 0)
            if parts > 1:
                self.axes.append((column, np.arange(parts)))
                self.axes.append((column, np.arange(n // parts) * parts - n // 2))
            else:
                self.axes.append((column, np.arange(n) - n // 2))
        several = {1: (64,), 2: (32, 32), 3: (11, 10, 10)}[len(self.axes)]
        self.chosen = [np.unique(np.concatenate([[0, len(n) - 1], rng.choice(len(n), min(count, len(n)) - 2, replace=False)]))
                       for (_, n), count in zip(self.axes, several)]
        self.columns = [Coordinates(points[:, c]) for c in range(points.shape[1])]

    def to_points(self, image, sign):
        """Values at self.samples."""
        values = image.reshape([len(n) for _, n in self.axes[::-1]]).astype(complex)
        first = True
        for column, n in self.axes:
            waves = self.columns[column][self.samples].waves(n, sign)
            values = values @ waves if first else np.einsum("...nt,nt->...t", values, waves)
            first = False
        return values

    def at_modes(self, samples, sign):
        """Values at the chosen modes, (z,) (y,) x."""
        def part(where):
            waves = [self.columns[column][where].waves(n[chosen], sign)
                     for (column, n), chosen in zip(self.axes, self.chosen)]
            outer = np.ones((1, len(samples[where])))
            for further in waves[1:]:
                outer = further[:, None, :] * outer[None, :, :]
                outer = outer.reshape(-1, outer.shape[-1])
            return outer @ (waves[0] * samples[where]).T
        return in_chunks(len(samples), 1 << 15, part).ravel()

    def choose_modes(self, image):
        """The result of at_modes, taken from an image."""
        values = image.reshape([len(n) for _, n in self.axes[::-1]])
        return values[np.ix_(*self.chosen[::-1])].ravel()

    def between_points(self, values, frequencies, sign):
        """Type 3, at the given frequencies [t, dims]; products of a few thousand cycles at most."""
        def part(where):
            cycles = sum(frequencies[:, None, a] * self.points[None, where, a]
                         for a in range(frequencies.shape[1])).astype(float)
            cycles -= np.rint(cycles)
            cycles *= 2 * np.pi
            return (np.cos(cycles) + sign * 1j * np.sin(cycles)) @ values[where].astype(complex)
        return in_chunks(len(values), 1 << 11, part)


def relative_error(found, exact):
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))

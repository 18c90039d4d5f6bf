# %% [markdown]
# # Tutorial: from k-space to images in Python
#
# This tutorial simulates a scan, grids it, reconstructs it with coil maps, adds a regulariser with an automatic weight,
# corrects off-resonance by combining operators, and reconstructs a series.

# %%
import matplotlib.pyplot as plt
import numpy as np

import larmor


def show(*images, titles, most=None):
    """Shows magnitudes side by side."""
    figure, axes = plt.subplots(1, len(images), figsize=(2.6 * len(images), 2.9))
    for axis, image, title in zip(np.atleast_1d(axes), images, titles):
        axis.imshow(np.abs(image), cmap="gray", vmin=0, vmax=most or np.abs(images[0]).max())
        axis.set_title(title, fontsize=10)
        axis.axis("off")
    figure.tight_layout()
    plt.show()


def error(image, truth):
    """Relative difference of magnitudes after the best scaling."""
    image, truth = np.abs(image), np.abs(truth)
    return np.linalg.norm(image * np.vdot(image, truth) / np.vdot(image, image) - truth) / np.linalg.norm(truth)


# %% [markdown]
# ## A scan
#
# The object is a head made of ellipses, whose k-space is known in closed form. Eight coils measure it along 40 radial spokes,
# a fifth of full sampling.

# %%
scan, truth, _ = larmor.simulate("radial", 128, coils=8, readouts=40, noise=0.03)
print(scan, truth.shape)

# %% [markdown]
# ## Gridding
#
# Gridding applies the adjoint transform to density-weighted samples. With too few spokes, streaks remain.

# %%
gridded = larmor.reconstruct(scan, solver="gridding", density="pipe").pixels
show(truth, gridded, titles=["truth", f"gridding, error {error(gridded, truth):.2f}"])

# %% [markdown]
# ## Step by step: CG-SENSE
#
# `select` chooses readouts, grid and coils; `load` returns the trajectory and the whitened samples; `coil_maps` estimates coil maps from
# the data. The forward model is the product of the Fourier transform and the coil maps. Conjugate gradients solve the least-squares problem.

# %%
selection = scan.select()
data, maps = selection.load(), selection.coil_maps()
A = larmor.Nufft(data.trajectory, selection.shape, order="xyz", coils=selection.coils) @ larmor.CoilMaps(maps)
print(A)
x = larmor.conjugate_gradient(A, data.samples, "l2:1e-3", iterations=30)
sense = selection.image_of(x)[0]
show(truth, gridded, sense, titles=["truth", f"gridding, {error(gridded, truth):.2f}", f"CG-SENSE, {error(sense, truth):.2f}"])

# %% [markdown]
# ## Wavelets with an automatic weight
#
# `wavelet:auto` finds the weight λ from the noise of the scan.

# %%
sparse = larmor.reconstruct(scan, regularizer="wavelet:auto", iterations=60)
print({name: sparse.report[name] for name in ("solver", "lambda")})
show(truth, sense, sparse.pixels,
     titles=["truth", f"CG-SENSE, {error(sense, truth):.2f}", f"wavelet, {error(sparse.pixels, truth):.2f}"])

# %% [markdown]
# ## Off-resonance correction by combining operators
#
# A sample at time t receives the signal from position r with the factor exp(−2πi f(r) t), where f is the off-resonance. This factor is
# computed at a few times and interpolated between them. The model is then a sum of transforms with different weights of the image and the samples.

# %%
n, interleaves, samples = 64, 12, 700
turns = np.linspace(0, 1, samples)
arms = np.arange(interleaves)[:, None] * 2 * np.pi / interleaves
radius, angle = 0.5 * turns, 2 * np.pi * 4 * turns + arms
points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1, 2)
times = np.tile(0.015 * turns, interleaves)

y, z = np.mgrid[:n, :n] - n // 2
field = 120 * np.exp(-(((y + 18) / 14) ** 2 + (z / 16) ** 2)) - 40.0
small_truth = np.abs(larmor.simulate("radial", n, coils=1)[1]).astype(np.complex64)
inside = np.abs(small_truth).reshape(-1) > 0
pixels = np.stack([z, y], -1).reshape(-1, 2)[inside]
phase = points @ pixels.T + np.outer(times, field.reshape(-1)[inside])
measured = (np.exp(-2j * np.pi * phase) @ small_truth.reshape(-1)[inside] / n).astype(np.complex64)

F = larmor.Nufft(points, (n, n), order="xyz", tolerance=1e-4)
knots = np.linspace(0, times.max(), 9)
segments = []
for i, knot in enumerate(knots):
    hat = np.interp(times, knots, np.eye(len(knots))[i])
    turn = np.exp(-2j * np.pi * field * knot)
    segments.append(larmor.Diagonal(hat.astype(np.complex64)) @ F @ larmor.Diagonal(turn.astype(np.complex64)))
with_field = segments[0]
for segment in segments[1:]:
    with_field = with_field + segment
ignored = larmor.conjugate_gradient(F, measured, iterations=12)
corrected = larmor.conjugate_gradient(with_field, measured, iterations=12)
show(small_truth, ignored, corrected,
     titles=["truth", f"field ignored, {error(ignored, small_truth):.2f}", f"corrected, {error(corrected, small_truth):.2f}"])

# %% [markdown]
# `larmor.reconstruct(scan, field_map=…)` does the same for a scan, with as few time segments as the accuracy allows.
#
# ## A series
#
# `window` divides the same readouts into a series of frames, here of ten spokes each. `ttv` penalises differences between consecutive frames.

# %%
series = larmor.reconstruct(scan, window=10, regularizer="ttv:3e-3", iterations=40).pixels
print(series.shape)
show(*series, titles=[f"frame {i}, {error(frame, truth):.2f}" for i, frame in enumerate(series)])

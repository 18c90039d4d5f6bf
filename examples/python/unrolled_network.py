"""An unrolled network: gradient steps towards the samples, a small convolutional network after each, trained together.

    python unrolled_network.py            on a GPU where there is one
"""
import argparse

import numpy as np
import torch
from larmor.torch import Nufft


def trajectory(size, spokes):
    """Radial spokes at golden angles, [spokes, 2 size, 2] in cycles per pixel."""
    angles = np.arange(spokes) * np.pi * (np.sqrt(5) - 1) / 2
    radius = (np.arange(2 * size) - size) / (2 * size)
    return np.stack([np.outer(np.cos(angles), radius), np.outer(np.sin(angles), radius)], -1)


def images(count, size, rng):
    """Random ellipses of random phase, [count, size, size]."""
    y, x = np.mgrid[:size, :size] / size - 0.5
    result = np.zeros((count, size, size), np.complex64)
    for image in result:
        for _ in range(6):
            cx, cy = rng.uniform(-0.25, 0.25, 2)
            rx, ry = rng.uniform(0.05, 0.25, 2)
            image[((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1] += rng.uniform(0.2, 1)
        image *= np.exp(2j * np.pi * (rng.uniform() + rng.uniform(-0.5, 0.5) * x))
    return torch.from_numpy(result)


class Unrolled(torch.nn.Module):
    """x ← x − t Aᴴ W (A x − y), then x ← x + network(x), repeated five times."""

    def __init__(self, nufft, weights, rounds=5, channels=16):
        super().__init__()
        self.nufft = nufft
        self.register_buffer("weights", weights)
        self.lengths = torch.nn.Parameter(torch.full((rounds,), 0.5))
        self.networks = torch.nn.ModuleList(
            torch.nn.Sequential(torch.nn.Conv2d(2, channels, 3, padding=1), torch.nn.ReLU(),
                                torch.nn.Conv2d(channels, channels, 3, padding=1), torch.nn.ReLU(),
                                torch.nn.Conv2d(channels, 2, 3, padding=1)) for _ in range(rounds))

    def forward(self, samples):
        x = torch.zeros(*samples.shape[:-1], *self.nufft.shape, dtype=samples.dtype, device=samples.device)
        for length, network in zip(self.lengths, self.networks):
            x = x - length * self.nufft.adjoint(self.weights * (self.nufft(x) - samples))
            x = x + torch.view_as_complex(network(torch.view_as_real(x).movedim(-1, 1)).movedim(1, -1).contiguous())
        return x


def train(device="cpu", size=64, spokes=13, steps=200, batch=4, report=print):
    """The loss on unseen images, before and after training."""
    rng = np.random.default_rng(1)
    torch.manual_seed(1)
    points = torch.from_numpy(trajectory(size, spokes).reshape(-1, 2)).to(device)
    # Density weights |k|, scaled so that AᴴWA is about the identity where k-space is sampled.
    weights = (points.norm(dim=1) * np.pi * size * size / (2 * size * spokes)).float()
    model = Unrolled(Nufft(points, (size, size), order="xyz"), weights).to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3)
    unseen = images(8, size, rng).to(device)

    def loss_of(truth):
        samples = model.nufft(truth)
        return (model(samples + 0.01 * torch.randn_like(samples)) - truth).abs().square().mean()

    with torch.no_grad():
        before = loss_of(unseen).item()
    for step in range(steps):
        loss = loss_of(images(batch, size, rng).to(device))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 20 == 0:
            report(f"step {step}: loss {loss.item():.5f}")
    with torch.no_grad():
        after = loss_of(unseen).item()
    report(f"on unseen images: {before:.5f} before, {after:.5f} after")
    return before, after


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    words.add_argument("--size", type=int, default=64)
    words.add_argument("--steps", type=int, default=200)
    given = words.parse_args()
    train(given.device, given.size, steps=given.steps)

import numpy as np
import pytest

import larmor
from conftest import random_complex

torch = pytest.importorskip("torch")


def tensors(rng, shape, **options):
    from larmor.torch import Nufft

    points = torch.tensor(rng.uniform(-0.5, 0.5, (15, len(shape))), dtype=torch.float64, requires_grad=True)
    F = Nufft(points, shape, dtype=torch.complex128, tolerance=1e-12, **options)
    lead = (options["coils"],) if options.get("coils") else ()
    image = torch.tensor(random_complex(rng, lead + shape, np.complex128), requires_grad=True)
    samples = torch.tensor(random_complex(rng, lead + (15,), np.complex128), requires_grad=True)
    return F, points, image, samples


def run(F, direction, points, values):
    """F as a function of its points too."""
    G = type(F)(points, F.shape, dtype=F.dtype, coils=F.coils, order=F.order, units=F.units, tolerance=1e-12)
    return G(values) if direction == "forward" else G.adjoint(values)


@pytest.mark.parametrize("direction", ["forward", "adjoint"])
@pytest.mark.parametrize("shape, options", [((6,), {}), ((5, 4), {}), ((5, 4), dict(coils=2)), ((3, 4, 3), {}),
                                            ((5, 4), dict(order="zyx", units="rad")), ((5, 4), dict(units="cycles/fov"))])
def test_gradients(direction, shape, options, rng):
    F, points, image, samples = tensors(rng, shape, **options)
    values = image if direction == "forward" else samples
    assert torch.autograd.gradcheck(lambda k, v: run(F, direction, k, v), (points, values))


def test_second_gradients(rng):
    F, points, image, _ = tensors(rng, (4, 3))
    assert torch.autograd.gradgradcheck(lambda k, v: run(F, "forward", k, v), (points, image))


def test_values_and_batches(rng):
    F, points, image, _ = tensors(rng, (5, 4))
    A = larmor.Nufft(points.detach().numpy(), (5, 4), dtype=np.complex128, tolerance=1e-12)
    assert np.array_equal(F(image).detach().numpy(), A @ image.detach().numpy())
    many = torch.stack([image, 2 * image]).reshape(2, 1, 5, 4)
    assert np.array_equal(F(many)[1, 0].detach().numpy(), F(2 * image).detach().numpy())
    with pytest.raises(larmor.UsageError, match=r"expected the shape \[..., 5, 4\], got \[4, 5\]"):
        F(image.T)


def test_the_plan_is_kept_until_the_points_move(rng):
    F, points, image, _ = tensors(rng, (5, 4))
    F(image)
    operator = F.operator
    F(2 * image)
    assert F.operator is operator
    with torch.no_grad():
        points += 0.01
    assert F.operator is not operator


def test_a_network_learns(rng):
    """Gradient steps of learned length: the loss falls."""
    from larmor.torch import Nufft

    k = torch.tensor(rng.uniform(-0.5, 0.5, (400, 2)))
    F = Nufft(k, (16, 16))
    truth = torch.tensor(random_complex(rng, (16, 16)))
    samples = F(truth).detach()
    lengths = torch.full((3,), 0.05, requires_grad=True)
    optimiser = torch.optim.Adam([lengths], lr=0.05)
    losses = []
    for _ in range(15):
        x = torch.zeros_like(truth)
        for length in lengths:
            x = x - length * F.adjoint(F(x) - samples)
        loss = (x - truth).abs().square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]

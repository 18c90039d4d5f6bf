import copy
import gc
import pathlib
import pickle
import runpy
import weakref

import numpy as np
import pytest

import larmor
from conftest import random_complex

torch = pytest.importorskip("torch")


if int(torch.__version__.partition(".")[0]) < 2:
    pytest.skip("larmor.torch needs PyTorch 2", allow_module_level=True)
places = pytest.mark.parametrize("place", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


def tensors(rng, shape, place="cpu", **options):
    from larmor.torch import Nufft

    points = torch.tensor(rng.uniform(-0.5, 0.5, (15, len(shape))), dtype=torch.float64, device=place, requires_grad=True)
    F = Nufft(points, shape, **{"order": "xyz", **options}, dtype=torch.complex128, tolerance=1e-12)
    lead = (options["coils"],) if options.get("coils") else ()
    image = torch.tensor(random_complex(rng, lead + shape, np.complex128), device=place, requires_grad=True)
    samples = torch.tensor(random_complex(rng, lead + (15,), np.complex128), device=place, requires_grad=True)
    return F, points, image, samples


def run(F, direction, points, values):
    """F as a function of its points too."""
    G = type(F)(points, F.shape, dtype=F.dtype, coils=F.coils, order=F.order, units=F.units, tolerance=1e-12)
    return G(values) if direction == "forward" else G.adjoint(values)


@places
@pytest.mark.parametrize("direction", ["forward", "adjoint"])
@pytest.mark.parametrize("shape, options", [((6,), {}), ((5, 4), {}), ((5, 4), dict(coils=2)), ((3, 4, 3), {}),
                                            ((5, 4), dict(order="zyx", units="radians")), ((5, 4), dict(units="cycles/fov"))])
def test_gradients(direction, shape, options, place, rng):
    F, points, image, samples = tensors(rng, shape, place, **options)
    values = image if direction == "forward" else samples
    assert torch.autograd.gradcheck(lambda k, v: run(F, direction, k, v), (points, values))


@places
@pytest.mark.parametrize("direction", ["forward", "adjoint"])
def test_second_gradients(direction, place, rng):
    F, points, image, samples = tensors(rng, (4, 3), place)
    values = image if direction == "forward" else samples
    assert torch.autograd.gradgradcheck(lambda k, v: run(F, direction, k, v), (points, values))


def test_values_and_batches(rng):
    F, points, image, _ = tensors(rng, (5, 4))
    A = larmor.Nufft(points.detach().numpy(), (5, 4), order="xyz", dtype=np.complex128, tolerance=1e-12)
    assert np.array_equal(F(image).detach().numpy(), A @ image.detach().numpy())
    many = torch.stack([image, 2 * image]).reshape(2, 1, 5, 4)
    assert torch.allclose(F(many)[1, 0], F(2 * image))
    with pytest.raises(larmor.UsageError, match="image: expected a tensor of PyTorch, got ndarray"):
        F(np.zeros((5, 4), np.complex64))
    with pytest.raises(larmor.UsageError, match=r"expected the shape \[..., 5, 4\], got \[4, 5\]"):
        F(image.T)


@places
def test_vmap(place, rng):
    """vmap over images with one plan, over trajectories with a plan each, and of gradients."""
    from larmor.torch import Nufft

    F, points, image, _ = tensors(rng, (5, 4), place)
    images = torch.stack([image, 2j * image, image.conj()], 1)
    each = torch.stack([F(v) for v in images.unbind(1)], -1)
    assert torch.allclose(torch.vmap(F, in_dims=1, out_dims=-1)(images), each)
    assert torch.allclose(torch.vmap(F.adjoint, in_dims=-1)(each), torch.stack([F.adjoint(y) for y in each.unbind(-1)]))
    many = torch.stack([points, 0.5 * points]).detach()

    def energy(k, v):
        return Nufft(k, (5, 4), order="xyz", dtype=torch.complex128, tolerance=1e-12)(v).abs().square().sum()

    total = torch.vmap(energy, in_dims=(0, None))(many, image)
    assert torch.allclose(total, torch.stack([energy(k, image) for k in many]))
    slopes = torch.vmap(torch.func.grad(lambda v: F(v).abs().square().sum()))(images.movedim(1, 0).detach())
    for v, slope in zip(images.movedim(1, 0).detach(), slopes):
        v.requires_grad_(True)
        F(v).abs().square().sum().backward()
        assert torch.allclose(slope, v.grad)


def test_the_plan_is_kept_until_the_points_move(rng):
    F, points, image, _ = tensors(rng, (5, 4))
    F(image)
    operator = F.operator
    F(2 * image)
    assert F.operator is operator
    with torch.no_grad():
        points += 0.01
    assert F.operator is not operator


@pytest.mark.parametrize("change", [
    lambda k: k.data.clamp_(-0.2, 0.2), lambda k: k.detach().numpy().__imul__(0.5), lambda k: setattr(k, "data", 0.5 * k.data),
    lambda k: torch.nn.utils.vector_to_parameters(k.detach().reshape(-1) * 0.5, [k]),
], ids=["data", "numpy", "data assigned", "vector"])
def test_every_change_of_the_points_is_seen(change, rng):
    from larmor.torch import Nufft

    F, points, image, _ = tensors(rng, (5, 4))
    F(image)
    change(points)
    assert torch.equal(F(image), Nufft(points.clone(), (5, 4), order="xyz", dtype=torch.complex128, tolerance=1e-12)(image))


def test_a_trajectory_of_other_strides_is_seen(rng):
    from larmor.torch import Nufft

    _, points, image, _ = tensors(rng, (5, 4))
    columns = points.detach().T.contiguous()
    F = Nufft(columns.T, (5, 4), order="xyz", dtype=torch.complex128, tolerance=1e-12)
    F(image)
    columns *= 0.5
    assert torch.equal(F(image), Nufft(columns.T.clone(), (5, 4), order="xyz", dtype=torch.complex128, tolerance=1e-12)(image))


def model(points):
    from larmor.torch import Nufft

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.k = torch.nn.Parameter(points.clone())
            self.F = Nufft(self.k, (5, 4), order="xyz", dtype=torch.complex128, tolerance=1e-12)

        def forward(self, image):
            return self.F(image)

    return Model()


@pytest.mark.parametrize("used", [False, True])
def test_a_module_follows_its_parameter(used, rng):
    _, points, image, _ = tensors(rng, (5, 4))
    points, moved = points.detach(), 0.25 * points.detach()
    expected = model(moved)(image).detach()

    def fresh():
        made = model(points)
        if used:
            made(image)
        return made

    assert list(fresh().state_dict()) == ["k"] and len(list(fresh().parameters())) == 1
    loaded, replaced, copied = fresh(), fresh(), copy.deepcopy(fresh())
    loaded.load_state_dict({"k": moved}, assign=True)
    replaced.k = torch.nn.Parameter(moved)
    with torch.no_grad():
        copied.k.copy_(moved)
    averaged = torch.optim.swa_utils.AveragedModel(loaded)
    for made in (loaded, replaced, copied, averaged, copy.deepcopy(loaded)):
        assert torch.equal(made(image), expected)
    k = moved.clone().requires_grad_()
    values = torch.func.functional_call(fresh(), {"k": k}, (image,))
    assert torch.equal(values, expected)
    assert torch.autograd.grad(values.abs().square().sum(), k)[0].abs().sum() > 0


def test_transforms_are_pickled_and_freed(rng):
    from larmor.torch import Nufft

    F, points, image, _ = tensors(rng, (5, 4))
    expected = F(image)
    assert torch.equal(pickle.loads(pickle.dumps(F))(image), expected)
    holder = torch.nn.Module()
    holder.k = torch.nn.Parameter(points.detach())
    holder.F = Nufft(holder.k, (5, 4), order="xyz")
    gone = weakref.ref(holder.F)
    gc.disable()
    del holder
    gc.enable()
    assert gone() is None


def test_points_are_learned(rng):
    """A trajectory moves towards the one that the samples were measured on."""
    from larmor.torch import Nufft

    truth = torch.tensor(rng.uniform(-0.4, 0.4, (60, 2)))
    image = torch.zeros(12, 12, dtype=torch.complex64)
    image[5:8, 4:8] = 1
    samples = Nufft(truth, (12, 12), order="xyz")(image)
    k = torch.nn.Parameter(truth + 0.01 * torch.tensor(rng.standard_normal((60, 2))))
    F, optimiser, losses = Nufft(k, (12, 12), order="xyz"), torch.optim.Adam([k], lr=1e-3), []
    for _ in range(30):
        loss = (F(image) - samples).abs().square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0] and (k.detach() - truth).norm() < 0.4 * truth.norm()


def test_adam_finds_image_and_maps(rng):
    """Adam on an image and coil maps takes the steps that it takes with the exact sum in place of the transform."""
    from larmor.torch import Nufft

    n, coils = 8, 3
    points = torch.tensor(rng.uniform(-0.5, 0.5, (120, 2)))
    F = Nufft(points, (n, n), order="xyz", coils=coils, dtype=torch.complex128)
    y, x = torch.meshgrid(torch.arange(n, dtype=torch.float64) - n // 2, torch.arange(n, dtype=torch.float64) - n // 2, indexing="ij")
    phases = points[:, :1] * x.reshape(1, -1) + points[:, 1:] * y.reshape(1, -1)
    exact = torch.exp(-2j * np.pi * phases) / n
    true_image, true_maps = torch.tensor(random_complex(rng, (n, n))), torch.tensor(random_complex(rng, (coils, n, n)))

    def losses(transform):
        image, maps = torch.ones(n, n, dtype=torch.complex128), torch.ones(coils, n, n, dtype=torch.complex128)
        samples = transform((true_maps * true_image).to(torch.complex128))
        optimiser = torch.optim.Adam([image.requires_grad_(), maps.requires_grad_()], lr=0.05)
        for _ in range(150):
            loss = (transform(maps * image) - samples).abs().square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            yield loss.item()

    found = list(losses(F))
    np.testing.assert_allclose(found, list(losses(lambda images: images.reshape(coils, -1) @ exact.T)), rtol=1e-3)
    assert found[-1] < 0.01 * found[0]


def test_another_dtype_is_refused(rng):
    F, _, image, samples = tensors(rng, (5, 4))
    with pytest.raises(larmor.UsageError, match=r"image is torch.complex64, expected torch.complex128: .*image\.to\(torch.complex128\)"):
        F(image.detach().to(torch.complex64))
    with pytest.raises(larmor.UsageError, match="samples is torch.float64, expected torch.complex128"):
        F.adjoint(samples.detach().real)


@places
def test_the_example_learns(place):
    """The unrolled network of examples/python: its loss on images that it has not seen falls."""
    path = pathlib.Path(__file__).parents[2] / "examples" / "python" / "unrolled_network.py"
    if not path.exists():
        pytest.skip("the example lies beside the package's sources")
    example = runpy.run_path(str(path))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    before, after = example["train"](device=place, size=24, spokes=6, steps=25, batch=2, report=lambda *_: None)
    torch.set_num_threads(threads)
    assert after < 0.8 * before

import base64
import io
import json
import os
import re

import numpy as np
import pytest

import larmor
from conftest import in_threads


def error(found, truth):
    """Relative to the truth, of magnitudes, at the best scale."""
    found, truth = np.abs(found), np.abs(truth)
    return np.linalg.norm(found * np.vdot(found, truth) / np.vdot(found, found) - truth) / np.linalg.norm(truth)


def test_reconstruction_of_a_file(scan_file):
    path, truth, _ = scan_file
    result = larmor.reconstruct(path)
    assert result.pixels.shape == truth.shape and result.pixels.dtype == np.complex64
    assert error(result.pixels, truth) < 0.25
    assert result.report["solver"] == "cg" and result.report["calibration"] == "espirit"
    assert result.report["command"] == ["larmor.reconstruct"]
    assert result.images[0].counters["slice"] == 0 and len(result.images[0].position) == 3


@pytest.mark.parametrize("terms", ["none", "l2:auto", "l2:1e-2", "wavelet:1e-4"])
def test_objectives_are_those_of_least_squares(terms, scan_file):
    image = larmor.reconstruct(scan_file[0], regularizer=terms).report["images"][0]
    values = [step["objective"] for step in image["iterations"] if step["objective"] is not None]
    if terms != "wavelet:1e-4":  # computing each costs a transform there, so they are omitted
        assert min(values) > 0 and values[-1] < values[0]


def test_options_have_the_commands_names(scan_file):
    path, _, maps = scan_file
    scan = larmor.read_ismrmrd(path)
    result = larmor.reconstruct(scan, regularizer="wavelet:1e-3", iterations=12, solve_fov=1, maps=maps, no_whiten=True,
                                precision="double", matrix=(48, 48), threads=2)
    assert result.report["regularizers"] == [{"name": "wavelet", "lambda": 1e-3}]
    assert len(result.report["images"][0]["iterations"]) == 12
    assert result.report["calibration"] == "given" and not result.report["whitening"]["applied"]
    assert result.report["threads"] == 2
    assert "regularizer" in larmor.option_names() and "solve_fov" in larmor.option_names()
    both = larmor.reconstruct(scan, regularizer=["l2:1e-3", larmor.Regularizer("tv", 1e-3)], iterations=3)
    assert [term["name"] for term in both.report["regularizers"]] == ["l2", "tv"]


def arrays_of(scan):
    """[coils, spokes, samples] and [spokes, samples, 2] of a simulated scan."""
    readouts = [scan.readout(i) for i in range(len(scan))]
    spokes = [one for one in readouts if one["trajectory"].size > 0]
    return np.stack([one["data"] for one in spokes], 1), np.stack([one["trajectory"] for one in spokes])


def test_arrays_give_the_image_of_the_file(scan_file):
    path, _, maps = scan_file
    kspace, trajectory = arrays_of(larmor.read_ismrmrd(path))
    coils, spokes, samples = kspace.shape
    settings = dict(maps=maps, regularizer="none", iterations=8, no_whiten=True)
    expected = larmor.reconstruct(path, **settings).pixels
    flat = trajectory.reshape(-1, 2)
    for given in (dict(kspace=kspace, trajectory=trajectory, order="xyz"),
                  dict(kspace=kspace.reshape(coils, -1), trajectory=flat, order="xyz"),
                  dict(kspace=kspace.astype(np.complex128), trajectory=flat[:, ::-1], order="zyx"),
                  dict(kspace=kspace.transpose(1, 0, 2), trajectory=trajectory, order="xyz", kspace_axes="spokes,coils,samples")):
        found = larmor.reconstruct(matrix=48, **given, **settings).pixels
        assert np.allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    scan = larmor.Scan.from_arrays(kspace, trajectory, order="xyz", matrix=(48, 48), fov=240)
    assert len(scan) == spokes and scan.readout(0)["data"].shape == (coils, samples)
    assert larmor.reconstruct(scan, **settings).images[0].fov_mm[:2] == (240, 240)
    for given in (dict(trajectory=trajectory, order="xyz"), dict(trajectory=trajectory[..., ::-1].tolist(), order="zyx")):
        found = larmor.reconstruct(scan, **given, **settings).pixels
        assert np.allclose(found, expected, atol=1e-4 * np.abs(expected).max())
        assert np.allclose(scan.select(**given).load().trajectory, flat, atol=1e-6)


def test_arrays_need_an_order():
    kspace, trajectory = np.ones((2, 3, 9)), np.zeros((3, 9, 2))
    scan = larmor.simulate("radial", 16, coils=2, readouts=3)[0]
    for call in (lambda: larmor.Scan.from_arrays(kspace, trajectory, matrix=8),
                 lambda: larmor.reconstruct(kspace=kspace, trajectory=trajectory, matrix=8),
                 lambda: larmor.reconstruct(scan, trajectory=trajectory), lambda: scan.select(trajectory=trajectory.tolist()),
                 lambda: larmor.field_map(scan, trajectory=trajectory)):
        with pytest.raises(larmor.UsageError, match="order is not given: 'zyx' if column i .* 'xyz' if column 0"):
            call()
    for options in (dict(order="xyz"), dict(order="zyx", trajectory="k.npy")):
        with pytest.raises(larmor.UsageError, match="order is for an array trajectory="):
            larmor.reconstruct(scan, **options)


@pytest.mark.parametrize("given, message", [
    (dict(), "expected either a scan or kspace"),
    (dict(kspace=np.ones((2, 9)), trajectory=np.ones((8, 2)), order="xyz", matrix=8), r"kspace is \[2, 9\] and trajectory \[8, 2\]"),
    (dict(kspace=np.ones((2, 70000)), trajectory=np.ones((70000, 2)), order="xyz", matrix=8), "at most 65535: give"),
    (dict(kspace=np.ones((2, 3, 9)), trajectory=np.ones((3, 8, 2)), order="xyz", matrix=8), "3 readouts of 9 samples"),
    (dict(kspace=np.ones((2, 3, 9)), trajectory=np.zeros((3, 9, 2)), order="xyz"), "matrix"),
    (dict(kspace=np.ones((2, 3, 9)), matrix=8), "no trajectory"),
])
def test_wrong_arrays_are_errors(given, message):
    with pytest.raises((larmor.UsageError, larmor.InputError), match=message):
        larmor.reconstruct(**given)


@pytest.mark.parametrize("plain, numpy", [
    (dict(iterations=3), dict(iterations=np.int64(3))),
    (dict(tolerance=0.25), dict(tolerance=np.float32(0.25))),
    (dict(matrix=(24, 20), fov=(240.0, 200.0)), dict(matrix=np.array([24, 20]), fov=np.array([240.0, 200.0]))),
    (dict(no_whiten=True, coils=2), dict(no_whiten=np.bool_(True), coils=np.arange(3)[2])),
    (dict(bins=np.arange(20) % 2), dict(bins=[i % 2 for i in range(20)])),
    (dict(maps=np.ones((3, 24, 24))), dict(maps=np.ones((3, 24, 24)).tolist())),
])
def test_numbers_of_numpy_are_numbers(plain, numpy):
    scan, _, _ = larmor.simulate("radial", np.int64(24), coils=np.int64(3), readouts=np.int64(20))
    images = [larmor.reconstruct(scan, regularizer="l2:1e-2", **options).pixels for options in (plain, numpy)]
    assert np.array_equal(*images)


def test_lambda_is_found():
    scan, _, _ = larmor.simulate("radial", 48, coils=4, readouts=30, noise=0.1)
    result = larmor.reconstruct(scan, regularizer="wavelet:auto", iterations=20)
    assert result.report["lambda"] > 0 and result.report["lambda_search"]["rule"] == "SURE"


@pytest.mark.parametrize("options, message", [
    (dict(regulariser="l2:1"), "unknown option 'regulariser'; did you mean regularizer"),
    (dict(iterations=0), "iterations '0': expected a whole number from 1"),
    (dict(solver="gridding", iterations=3), "iterations has no effect with solver gridding"),
    (dict(combine="sum"), r"combine 'sum': not known, expected one of sense\|rss\|none"),
    (dict(maps=np.ones((4, 48, 48)), calibrate="walsh"), "maps and calibrate exclude each other"),
    (dict(maps=np.ma.masked_less(np.ones((4, 48, 48)), 2)), "a masked array has undefined elements"),
    (dict(maps=np.ones((0, 48, 48))), "maps is an array without elements"),
    (dict(trajectory=np.ones((0, 2)), order="xyz"), "trajectory is an array without elements"),
    (dict(threads=2, context=larmor.Context()), "exclude each other"),
])
def test_wrong_options_are_errors(options, message, scan_file):
    with pytest.raises(larmor.UsageError, match=message):
        larmor.reconstruct(scan_file[0], **options)


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(larmor.InputError, match="nothing.h5"):
        larmor.read_ismrmrd(tmp_path / "nothing.h5")
    broken = tmp_path / "broken.h5"
    broken.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(larmor.InputError, match="broken.h5"):
        larmor.read_ismrmrd(broken)


def test_readouts_are_arrays(scan_file):
    scan = larmor.read_ismrmrd(scan_file[0])
    readout = scan.readout(len(scan) - 1)
    assert readout["data"].shape == (4, 96) and readout["trajectory"].shape == (96, 2)
    assert not readout["data"].flags.writeable
    with pytest.raises(IndexError):
        scan.readout(len(scan))
    data = readout["data"].copy()
    kept = scan.readout(len(scan) - 1)["data"]
    del scan, readout
    assert np.array_equal(kept, data)


def test_steps_give_the_image_of_the_whole(scan_file):
    """Select, load, calibrate, model, solve, write back: the solution that reconstruct() finds."""
    scan = larmor.read_ismrmrd(scan_file[0])
    whole = larmor.reconstruct(scan, regularizer="l2:1e-2", iterations=60)
    selection = scan.select(regularizer="l2:1e-2")
    data, maps = selection.load(), selection.coil_maps()
    assert data.samples.shape == (selection.coils, len(data.trajectory)) and maps.shape == (4, *selection.shape)
    A = larmor.Sense(data.trajectory, maps, order="xyz", tolerance=1e-5)
    x = larmor.conjugate_gradient(A, data.samples, "l2:1e-2", iterations=60)
    image = selection.image_of(x)[0]
    assert np.linalg.norm(image - whole.pixels) <= 1e-3 * np.linalg.norm(whole.pixels)


def test_coil_maps_are_those_of_a_reconstruction(scan_file):
    maps = larmor.coil_maps(scan_file[0])
    assert maps.shape == (4, *larmor.read_ismrmrd(scan_file[0]).select().shape) and maps.dtype == np.complex64
    power = np.sum(np.abs(maps)**2, axis=0)
    assert np.all((np.abs(power - 1) < 1e-4) | (power == 0))
    own = larmor.reconstruct(scan_file[0], regularizer="l2:1e-2", iterations=20).pixels
    given = larmor.reconstruct(scan_file[0], maps=maps, regularizer="l2:1e-2", iterations=20).pixels
    assert np.linalg.norm(given - own) <= 1e-4 * np.linalg.norm(own)
    assert larmor.coil_maps(larmor.read_ismrmrd(scan_file[0]), sets=2, threads=1).shape == (2, *maps.shape)
    other = larmor.coil_maps(scan_file[0], calibration=scan_file[0])
    assert other.shape == maps.shape and np.linalg.norm(other - maps) <= 1e-3 * np.linalg.norm(maps)
    with pytest.raises(larmor.UsageError, match="maps is given, but coil maps are estimated here"):
        larmor.coil_maps(scan_file[0], maps=maps)


def test_noise_maps_and_files(scan_file, tmp_path):
    result = larmor.reconstruct(scan_file[0], regularizer="l2:1e-2", iterations=5, replicas=3)
    assert len(result.deviation) == len(result.signal_to_noise) == 1
    result.write(tmp_path / "image.npy", kind="complex")
    assert np.array_equal(np.load(tmp_path / "image.npy").reshape(result.pixels.shape), result.pixels)
    with pytest.raises(larmor.UsageError, match="exists"):
        result.write(tmp_path / "image.npy")
    with pytest.raises(larmor.UsageError, match="kind is 'real'"):
        result.write(tmp_path / "other.npy", kind="real")


def test_files_for_others(scan_file, tmp_path):
    result = larmor.reconstruct(scan_file[0], regularizer="l2:1e-2", iterations=3)
    result.write(tmp_path / "image.nii.gz", sidecar=True)
    assert isinstance(json.loads((tmp_path / "image.json").read_text()), dict)
    try:
        result.write(tmp_path / "image.dcm")
    except larmor.LarmorError as error:
        assert "DICOM" in str(error)  # a build without DCMTK
    else:
        assert any(b"DICM" in path.read_bytes()[:132] for path in tmp_path.rglob("*.dcm") if path.is_file())


def test_progress_is_told(scan_file):
    told = []
    larmor.reconstruct(scan_file[0], regularizer="l2:1e-2", iterations=7, callback=lambda *words: told.append(words))
    assert (7, 7) in [(done, total) for _, done, total, _ in told]

    def fail(*words):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        larmor.reconstruct(scan_file[0], regularizer="l2:1e-2", callback=fail)


def test_progress_is_told_to_who_asked(scan_file):
    """Two threads share a machine, one after another: each gets the progress of its own work only."""
    counts = {7: set(), 9: set()}

    def run(iterations):
        larmor.reconstruct(scan_file[0], regularizer="l2:1e-2", iterations=iterations,
                           callback=lambda stage, done, total, detail: counts[iterations].add(total))

    in_threads(run, counts)
    assert 7 in counts[7] and 9 not in counts[7]
    assert 9 in counts[9] and 7 not in counts[9]


def test_same_bits_as_the_command(scan_file, recon, tmp_path):
    path = scan_file[0]
    for number, (words, options) in enumerate([
            ([], {}),
            (["--regularizer", "wavelet:1e-3", "--iterations", 15], dict(regularizer="wavelet:1e-3", iterations=15)),
            (["--solver", "gridding", "--density", "pipe"], dict(solver="gridding", density="pipe")),
            (["--combine", "none", "--iterations", 4, "--regularizer", "none"],
             dict(combine="none", iterations=4, regularizer="none")),
    ]):
        image = tmp_path / f"{number}.npy"
        recon("run", path, "-o", image, "--complex", "--quiet", "--device", "cpu", "--threads", 2, *words)
        pixels = larmor.reconstruct(path, threads=2, **options).pixels
        assert np.array_equal(np.load(image).reshape(pixels.shape), pixels), options


def test_progress_in_a_bar(scan_file):
    tqdm = pytest.importorskip("tqdm")
    text = io.StringIO()
    with tqdm.tqdm(file=text, mininterval=0) as bar:
        larmor.reconstruct(scan_file[0], regularizer="l2:1e-2", iterations=7, callback=bar)
        assert (bar.n, bar.total) == (7, 7)
    assert "7/7" in text.getvalue()


def test_paths_are_whole(tmp_path):
    scan = larmor.simulate("radial", 16, coils=1)[0]
    name = os.fsencode(tmp_path / "scan.h5")
    scan.write(name)
    assert len(larmor.read_ismrmrd(name)) == len(scan)
    for call in (larmor.read_ismrmrd, scan.write, larmor.reconstruct):
        with pytest.raises(larmor.UsageError, match="zero character"):
            call(f"{tmp_path}/a\0.h5")
    assert not (tmp_path / "a").exists()


def test_a_context_is_one():
    with pytest.raises(larmor.UsageError, match="context is 'cuda', expected a larmor.Context"):
        larmor.Fft((4, 5), context="cuda")


def test_results_show_themselves(scan_file):
    found = larmor.reconstruct(scan_file[0])
    assert re.fullmatch(r"<larmor Reconstruction 1 of \[1, \d+, \d+\], expected error .* %, unexplained .* %, time .* s>", repr(found))
    assert repr(found.images[0]).startswith("<larmor Image [1, ")
    html = found._repr_html_()
    picture = base64.b64decode(html.partition("base64,")[2].partition('"')[0])
    assert picture.startswith(b"\x89PNG") and picture.endswith(b"IEND\xaeB`\x82") and "expected error" in html
    assert found.images[0]._repr_html_().count("<img") == 1


def test_field_map_of_echoes_corrects_a_scan():
    common = dict(coils=4, noise=0.01, field=100)
    echoes = larmor.simulate("cartesian", 48, echo_times=(1, 3), **common)[0]
    spiral, truth, maps = larmor.simulate("spiral", 48, readouts=4, **common)
    field = larmor.field_map(echoes)
    assert field.shape == (48, 48) and field.dtype == np.float32

    def error(**options):
        image = larmor.reconstruct(spiral, maps=maps, **options).pixels
        return np.linalg.norm(image - truth) / np.linalg.norm(truth)

    assert error(field_map=field) < 0.5 * error()
    with pytest.raises(larmor.UsageError, match="1 echo times are known"):
        larmor.field_map(echoes, echo_times=[1])


def test_match_finds_t2_of_tubes():
    model = "spin-echo:TE=20:echoes=8"
    scan, frames, maps = larmor.simulate("radial", 32, readouts=96, coils=4, noise=0.002, signal=model)
    assert frames.shape == (8, 32, 32)
    coefficients = larmor.reconstruct(scan, maps=maps, dictionary=model, coefficients=3).pixels
    found = larmor.match(coefficients, model, coefficients=3)
    exact = larmor.match(frames, model)
    assert set(found) == {"T2", "PD"} and found["T2"].dtype == np.float32 and found["PD"].dtype == np.complex64
    bright = np.abs(frames[0]) > 0.5
    assert np.median(np.abs(found["T2"][bright] / exact["T2"][bright] - 1)) < 0.05
    times = 20 * np.arange(1, 9)
    t2 = np.geomspace(10, 2000, 400)
    own = larmor.match(frames, np.exp(-times / t2[:, None]), values=t2, names="T2")
    assert np.median(np.abs(own["T2"][bright] / exact["T2"][bright] - 1)) < 0.01
    with pytest.raises(larmor.UsageError, match="values="):
        larmor.match(frames, np.exp(-times / t2[:, None]))
    with pytest.raises(larmor.InputError, match="8 images to match"):
        larmor.match(frames, model, coefficients=3)


def test_bins_are_found_in_a_moving_chest():
    scan, truth, maps = larmor.simulate("radial", 24, readouts=1700, samples=24, coils=2, chest=(70, 24))
    found = larmor.reconstruct(scan, maps=maps, bins="cardiac:3,respiratory:2")
    assert len(found.images) == 6
    ecg = [piece for piece in scan.waveforms if piece["id"] == 0]
    assert ecg[0]["values"].shape == (2, 400) and ecg[1]["time_stamp"] == 400 and ecg[0]["sample_time_us"] == 2500
    triggers = np.concatenate([piece["values"][1] for piece in ecg])  # of nine seconds
    assert np.count_nonzero(np.diff(triggers.astype(int), prepend=0) > 0) == pytest.approx(70 * 9 / 60, abs=1)
    with pytest.raises(larmor.UsageError, match="expected a number of bins"):
        larmor.reconstruct(scan, maps=maps, bins="cardiac")

"""Reads DICOM files as others do, by pydicom, and compares them with NIfTI (nibabel) and arrays of the same images.

check_dicom.py same FILE.dcm FILE.nii FILE.npy                 places, pixels
check_dicom.py markers FILE.dcm X,Y,Z ...                      a maximum at each place (LPS, mm)
check_dicom.py values FILE.dcm KEYWORD ...                     attributes, wherever they stand first
check_dicom.py contrasts FILE.dcm                              echo time, flip angle, inversion time of each frame
"""

import sys

import numpy as np
import pydicom


def frames_of(data):
    """Position, orientation (x, y), spacing (y, x), slope and intercept of every frame."""
    if "PerFrameFunctionalGroupsSequence" not in data:
        slope, intercept = float(data.RescaleSlope), float(data.RescaleIntercept)
        return [(data.ImagePositionPatient, data.ImageOrientationPatient, data.PixelSpacing, slope, intercept)]
    shared = data.SharedFunctionalGroupsSequence[0]
    scale = shared.PixelValueTransformationSequence[0]
    return [
        (
            frame.PlanePositionSequence[0].ImagePositionPatient,
            frame.PlaneOrientationSequence[0].ImageOrientationPatient,
            shared.PixelMeasuresSequence[0].PixelSpacing,
            float(scale.RescaleSlope),
            float(scale.RescaleIntercept),
        )
        for frame in data.PerFrameFunctionalGroupsSequence
    ]


def place(frame, x, y):
    """LPS millimetres of a pixel (PS3.3, equation C.7.6.2.1-1)."""
    position, orientation, spacing = (np.array(part, float) for part in frame[:3])
    return position + orientation[:3] * spacing[1] * x + orientation[3:] * spacing[0] * y


def pixels_of(data):
    stored = data.pixel_array.reshape(-1, data.Rows, data.Columns).astype(float)
    frames = frames_of(data)
    assert len(frames) == len(stored), (len(frames), stored.shape)
    return frames, np.stack([s * f[3] + f[4] for s, f in zip(stored, frames)])


def same(dicom, nifti, array):
    import nibabel

    frames, pixels = pixels_of(pydicom.dcmread(dicom))
    volume = nibabel.load(nifti)
    values = np.asarray(volume.dataobj)
    values = values.reshape((values.shape + (1, 1))[:3] + (-1,))  # x, y, z, frames
    nx, ny, nz, rest = values.shape
    assert pixels.shape == (nz * rest, ny, nx), (pixels.shape, values.shape)
    numbers = np.load(array).reshape(-1, ny, nx)
    step = frames[0][3]
    for number, (frame, image) in enumerate(zip(frames, pixels)):
        t, z = divmod(number, nz)
        np.testing.assert_allclose(image, values[:, :, z, t].T, atol=0.51 * step)
        for x, y in ((0, 0), (nx - 1, 0), (0, ny - 1), (nx // 2, ny // 3)):
            ras = volume.affine @ [x, y, z, 1]
            np.testing.assert_allclose(place(frame, x, y), ras[:3] * [-1, -1, 1], atol=1e-3)
    assert any(np.abs(numbers[0] - image).max() < step for image in pixels)


def markers(dicom, *places):
    frames, pixels = pixels_of(pydicom.dcmread(dicom))
    for text in places:
        wanted = np.array([float(n) for n in text.split(",")])
        best = (np.inf,)
        for n, frame in enumerate(frames):
            position, orientation, spacing = (np.array(part, float) for part in frame[:3])
            x = (wanted - position) @ orientation[:3] / spacing[1]
            y = (wanted - position) @ orientation[3:] / spacing[0]
            away = np.linalg.norm(place(frame, x, y) - wanted)
            best = min(best, (away, n, x, y))
        away, n, x, y = best
        x0, y0 = round(x), round(y)
        near = pixels[n, y0 - 3 : y0 + 4, x0 - 3 : x0 + 4]
        rows, columns = np.mgrid[y0 - 3 : y0 + 4, x0 - 3 : x0 + 4]
        found = (near * columns).sum() / near.sum(), (near * rows).sum() / near.sum()
        error = np.hypot(found[0] - x, found[1] - y)
        assert error < 0.5, (text, error)
        # Brighter than the frame around it.
        assert near.max() > 3 * np.median(pixels[n]), text


def values(dicom, *keywords):
    found = {element.keyword: element.value for element in reversed(list(pydicom.dcmread(dicom).iterall()))}
    print("|".join(str(found.get(keyword, "none")) for keyword in keywords), end="")


def contrasts(dicom):
    for frame in pydicom.dcmread(dicom).PerFrameFunctionalGroupsSequence:
        echo = frame.MREchoSequence[0].EffectiveEchoTime
        angle = frame.MRTimingAndRelatedParametersSequence[0].FlipAngle
        print(f"{echo:g} {angle:g} {frame.MRModifierSequence[0].InversionTimes:g}")


if __name__ == "__main__":
    {"same": same, "markers": markers, "values": values, "contrasts": contrasts}[sys.argv[1]](*sys.argv[2:])

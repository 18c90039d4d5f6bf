# The examples of docs/gallery.md, run by scripts/gallery. A heading names the recipe whose commands give the same result,
# and their output file (and the compared file if it is different). An example's own commands follow as comments. The page
# shows `image`.

# %% A first image: gridding | recipe 1 | quick.npy
import larmor

image = larmor.reconstruct("radial.h5", solver="gridding").pixels

# %% Iterative SENSE | recipe 2 | sense.npy
import larmor

result = larmor.reconstruct("radial.h5", regularizer="l2:1e-3")
print(result.report["solver"], result.report["lambda"])
image = result.pixels

# %% Wavelets for few spokes | recipe 3 | wavelet.npy
import larmor

result = larmor.reconstruct("few.h5", regularizer="wavelet:auto")
print("weight:", result.report["lambda"])
image = result.pixels

# %% Total variation with given coil maps | recipe 4 | tv.npy
import larmor
import numpy as np

maps = np.load("estimated.npy")
image = larmor.reconstruct("few.h5", maps=maps, regularizer="tv:2e-3").pixels

# %% A volume | recipe 5 | kooshball.npy
import larmor

volume = larmor.reconstruct("kooshball.h5", regularizer="l2:1e-4").pixels
image = volume[16::8]

# %% A g-factor map | recipe 6 | quality.npy, quality-g.npy
import larmor

result = larmor.reconstruct("few.h5", regularizer="l2:1e-2", iterations=10, replicas=50)
image = result.g_factor[0].pixels

# %% A spiral with coil compression | recipe 8 | spiral.npy
import larmor

image = larmor.reconstruct("spiral.h5", coils=6).pixels

# %% Undersampled Cartesian lines | recipe 14 | cartesian.npy
import larmor
import numpy as np

kspace = np.load("half.npy")                      # [coils, lines, samples]; lines that were not measured are zero
image = larmor.reconstruct(kspace=kspace, kspace_axes="coils,lines,samples", matrix=128, regularizer="wavelet:auto").pixels

# %% K-space and trajectory as arrays | recipe 12 | arrays.npy
import larmor
import numpy as np

kspace, trajectory = np.load("k.npy"), np.load("t.npy")   # [coils, readouts, samples], [readouts, samples, 2]
image = larmor.reconstruct(kspace=kspace, trajectory=trajectory, order="xyz", matrix=192, regularizer="l2:1e-3").pixels

# %% A series | recipe 9 | series.npy
import larmor

image = larmor.reconstruct("long.h5", window=16, regularizer="ttv:1e-2", iterations=40).pixels

# %% A series in a subspace | | coefficients.npy
# $ python3 -c "import numpy as n; n.save('basis.npy', n.stack([n.ones(6), n.linspace(-1, 1, 6)], 1))"
# $ recon run long.h5 -o coefficients.npy --complex --window 16 --basis basis.npy --regularizer l2:1e-3
import larmor
import numpy as np

basis = np.stack([np.ones(6), np.linspace(-1, 1, 6)], axis=1)        # [frames, coefficients]: constant and slope
result = larmor.reconstruct("long.h5", window=16, basis=basis, regularizer="l2:1e-3")
image = result.pixels

# %% Half echoes with a smooth phase | recipe 21 | constrained.npy
import larmor

image = larmor.reconstruct("half_echoes.h5", phase_constraint="on").pixels

# %% Off-resonance correction | recipe 15 | field_corrected.npy
import larmor

image = larmor.reconstruct("drift.h5", field_map="field.nii.gz").pixels

# %% Step by step with operators and a solver | |
import larmor

selection = larmor.read_ismrmrd("few.h5").select()
data, maps = selection.load(), selection.coil_maps()
A = larmor.Sense(data.trajectory, maps, order="xyz")
w = larmor.density_weights(data.trajectory, selection.shape, order="xyz")
x = larmor.fista(A, data.samples, "wavelet:2e-3", weights=w, iterations=30)
image = selection.image_of(x)

# %% Plug and play: a PyTorch denoiser as prior | |
import deepinv  # pip install deepinv
import larmor
import torch

denoiser = deepinv.models.TVDenoiser(n_it_max=20, tau=0.1)


def denoise(step, z):
    parts = torch.view_as_real(torch.from_numpy(z)).movedim(-1, 0)[:, None]   # [real and imaginary, 1, y, x]
    with torch.no_grad():
        parts = denoiser(parts, 0.005)
    return torch.view_as_complex(parts[:, 0].movedim(0, -1).contiguous()).numpy()


selection = larmor.read_ismrmrd("few.h5").select()
data, maps = selection.load(), selection.coil_maps()
A = larmor.Sense(data.trajectory, maps, order="xyz")
w = larmor.density_weights(data.trajectory, selection.shape, order="xyz")
prior = larmor.ProximalTerm(denoise, None, 1)   # no value: a denoiser need not be a proximal map
image = selection.image_of(larmor.fista(A, data.samples, prior, weights=w, iterations=40))

# %% Live reconstruction | |
# $ recon serve --port 9102 &
import socket

import ismrmrd
from ismrmrd.serialization import ConfigFile, ProtocolDeserializer, ProtocolSerializer

scan = ismrmrd.Dataset("radial.h5", "dataset", create_if_needed=False)
stream = socket.create_connection(("127.0.0.1", 9102)).makefile("rwb")
sender = ProtocolSerializer(stream)
sender.serialize(ConfigFile("default"))
sender.serialize(ismrmrd.xsd.CreateFromDocument(scan.read_xml_header()))
for i in range(scan.number_of_acquisitions()):
    sender.serialize(scan.read_acquisition(i))
sender.close()
stream.flush()
for item in ProtocolDeserializer(stream).deserialize():
    print(item if isinstance(item, str) else type(item))   # a text with ERR says why there is no image
    if isinstance(item, ismrmrd.Image):
        image = item.data

"""Writes a Pulseq sequence and its k-space as computed by pypulseq: make_sequence.py KIND VERSION OUT.

KIND is radial (trapezoids, rotated), labels (the same with labels, whose values are in OUT.npy) or spiral (arbitrary
gradients after a spin echo, and an extended trapezoid). Writes OUT.seq and OUT.npy; the files in this folder and in
tests/fuzz/corpus/pulseq were made with it, by pypulseq 1.5.0.
"""

import sys

import numpy as np
import pypulseq as pp

kind, version, out = sys.argv[1:]
system = pp.Opts(max_grad=30, grad_unit="mT/m", max_slew=150, slew_unit="T/m/s", rf_ringdown_time=20e-6,
                 rf_dead_time=100e-6, adc_dead_time=10e-6)
sequence = pp.Sequence(system)
fov, n = 0.24, 32
if kind in ("radial", "labels"):
    rf, select, rephase = pp.make_sinc_pulse(flip_angle=0.2, duration=1e-3, slice_thickness=5e-3, apodization=0.5,
                                             time_bw_product=4, system=system, return_gz=True, use="excitation")
    read = pp.make_trapezoid("x", flat_area=n / fov, flat_time=640e-6, system=system)
    adc = pp.make_adc(2 * n, duration=read.flat_time, delay=read.rise_time, system=system)
    prephase = pp.make_trapezoid("x", area=-read.area / 2, system=system)
    for spoke in range(8):
        angle = spoke * np.pi * 0.618
        sequence.add_block(rf, select)
        sequence.add_block(*pp.rotate(prephase, rephase, angle=angle, axis="z"))
        labels = [pp.make_label("LIN", "INC", 1), pp.make_label("SLC", "SET", spoke // 3),
                  pp.make_label("NAV", "SET", spoke == 5)] if kind == "labels" else []
        sequence.add_block(*pp.rotate(read, adc, angle=angle, axis="z"), *labels)
        sequence.add_block(pp.make_trapezoid("z", area=300, system=system), pp.make_delay(3e-3))
else:
    excite = pp.make_block_pulse(flip_angle=np.pi / 2, duration=0.5e-3, system=system, use="excitation")
    refocus = pp.make_block_pulse(flip_angle=np.pi, duration=1e-3, system=system, use="refocusing")
    t = (np.arange(600) + 0.5) * 10e-6
    for shot in range(4):
        g = np.sin(np.pi * t / t[-1]) ** 2 * 4e5 * np.exp(1j * (2 * np.pi * 5 * t / t[-1] + shot * np.pi / 2))
        x = pp.make_arbitrary_grad("x", g.real, system=system, first=0, last=0)
        y = pp.make_arbitrary_grad("y", g.imag, system=system, first=0, last=0)
        z = pp.make_trapezoid("z", area=50 * (shot - 1.5), duration=1e-3, system=system)
        for events in ((excite,), (z,), (refocus,)):
            sequence.add_block(*events)
        sequence.add_block(x, y, pp.make_adc(500, dwell=12e-6, system=system, delay=20e-6))
        ramps = pp.make_extended_trapezoid("x", amplitudes=np.array([0, 2e5, 1e5, 0]),
                                           times=np.array([0, 300e-6, 700e-6, 1000e-6]), system=system)
        sequence.add_block(ramps, pp.make_adc(500, dwell=1.6e-6, delay=100e-6, system=system))
sequence.write(out + ".seq", v141_compat=version == "1.4")
again = pp.Sequence(system)
again.read(out + ".seq", detect_rf_use=version == "1.4")
if kind == "labels":
    found = again.evaluate_labels(evolution="adc")
    np.save(out + ".npy", np.stack([found[name] for name in ("LIN", "SLC", "NAV")], axis=1).astype(float))
else:
    np.save(out + ".npy", again.calculate_kspace()[0].T.copy())

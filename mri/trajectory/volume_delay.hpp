#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>
#include <larmor/mri/trajectory/delay_estimate.hpp>

#include <array>

namespace LARMOR_API larmor {

/// The delays x, y and z of a volume whose readouts run through the centre of k-space or start there, such as
/// a kooshball. trajectory [readouts · samples_per_readout, 3] (cycles/pixel, samples in the order of
/// acquisition), samples [coils, readouts · samples_per_readout], matrix: pixels along x, y and z.
///
/// The samples near the centre are those of an object of few places that ends within the field of view. With
/// the wrong delay readouts of different directions contradict each other. Delays and objects, one a coil,
/// are fitted together (as images and trajectories are by Ianni & Grissom 2016), by Gauss and Newton's method
/// with the objects projected out (Golub & Pereyra 1973). That has many minima: it starts from 27 places with
/// few samples, and all ends are asked about the same ones before the best is refined. DelayEstimate::pairs
/// counts the samples that were used; deviations are at least what two models of the object differ by, which
/// tells delays of spokes that start at the centre and are all early by more than a sample: nobody measures
/// the centre then. Throws Error (input, about "delay") where too few samples lie around the centre, and
/// where no delay makes the readouts agree.
DelayEstimate volume_delays(View<const double> trajectory, View<const std::complex<float>> samples,
                            Index samples_per_readout, const std::array<Index, 3>& matrix, Context& ctx);

}  // namespace larmor

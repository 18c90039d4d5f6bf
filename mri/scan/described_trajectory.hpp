#pragma once

#include <larmor/core/data/scan.hpp>

#include <vector>

// Trajectories that the header describes (trajectoryDescription) instead of the readouts.

namespace larmor {

/// One interleaf of the variable-density spiral given by a HargreavesVDS2000 trajectoryDescription (Lee,
/// Hargreaves et al. 2003), [samples][2] in cycles/cm from the centre to krmax. Throws Error (input, about
/// "trajectory") if a parameter is missing or out of range.
std::vector<double> hargreaves_spiral(const Encoding& encoding);

/// True if the header describes the gradient lobe of the lines of an echo train, as converters of product
/// sequences do (ConventionalEPI).
bool describes_lobe(const Encoding& encoding);
/// Positions of the samples of a forward line of such an echo train, relative to the centre of k-space and in
/// units of 1/FOV, where FOV is the encoded field of view along the line. The gradient is a trapezoid of
/// rampUpTime, flatTopTime and rampDownTime, of which numSamples times dwellTime are acquired, from
/// acqDelayTime on (missing: centred); the centre of k-space is at half its area. What is acquired is as long
/// as the encoded matrix. Times are in µs. Throws Error (input, about "trajectory") if a parameter is missing
/// or the gradient ends before the samples do.
std::vector<double> positions_in_lobe(const Encoding& encoding);

/// Time in ms between lines of an echo train: of the scan, otherwise echoSpacing of the description, which is
/// in ms or, as long as a gradient lobe in µs, in µs; 0: unknown.
double echo_spacing_ms(const Scan& scan, const Encoding& encoding);

}  // namespace larmor

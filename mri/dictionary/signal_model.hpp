#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Relaxation times in ms.
struct Tissue {
  double t1_ms = 1000, t2_ms = 100;
};

/// A sequence whose signal is determined by T1 and T2. Times are in ms, flip angles in degrees.
struct SignalModel {
  enum class Sequence {
    spin_echo,           ///< exp(−TE/T2)
    inversion_recovery,  ///< 1 − 2 exp(−TI/T1) + exp(−TR/T1): inversion, excitation by 90° after TI
    mprage,              ///< inversion, then a train of spoiled gradient echoes (FLASH) after TI
    fisp                 ///< inversion, then unbalanced gradient echoes of any flip angles (fingerprinting)
  };
  Sequence sequence = Sequence::spin_echo;
  /// Echo times of spin_echo, inversion times of inversion_recovery; for a train the times from each
  /// excitation to the next.
  std::vector<double> times_ms{};
  std::vector<double> flips_deg{};  ///< of each excitation of a train
  double inversion_ms = 0;          ///< of a train: from the inversion to the first excitation
  double echo_ms = 0;               ///< of fisp: from each excitation to its echo
  /// From inversion to inversion; 0: the magnetisation recovers completely. Not for fisp.
  double cycle_ms = 0;
  Index per_frame = 1;  ///< consecutive excitations of a train whose mean is one frame

  /// Number of frames of a time course.
  Index frames() const { return static_cast<Index>(times_ms.size()) / per_frame; }
};

/// The signal of each frame for proton density 1, in the phase of the excitation. fisp: extended phase graph
/// (Weigel 2015) with a dephasing of full turns from each excitation to the next; configurations too decayed
/// to contribute 1e-7 are left out. Throws Error (usage) for models without frames and times that are not
/// positive or do not fit each other.
std::vector<double> signal_of(const SignalModel& model, const Tissue& tissue);

/// Time courses for known values of parameters.
struct SignalDictionary {
  Array<std::complex<double>> curves;  ///< [entries, frames]
  Array<double> values;                ///< [entries, parameters]
  std::vector<std::string> names;      ///< of the parameters, such as "T1"
};

/// The model's signals for all T1 from 10 to 6000 ms and all T2 from 1 to 3000 ms, as far as it depends on
/// them. For a single parameter in steps of 1 %; for two in steps of 4 %, with T2 up to T1.
SignalDictionary dictionary_of(const SignalModel& model, Context& ctx);

/// A given dictionary. Throws Error (input) if the arrays do not have a row for each entry and a name for
/// each column, or hold numbers that are not finite.
SignalDictionary given_dictionary(Array<std::complex<double>> curves, Array<double> values,
                                  std::vector<std::string> names);

}  // namespace larmor

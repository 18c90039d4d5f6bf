#pragma once

namespace larmor {

/// What this processor's vector instructions are.
enum class InstructionSet { portable, avx2, avx512 };

/// The best that the processor has; the environment variable LARMOR_ISA can ask for a lesser one.
InstructionSet instruction_set();
/// "avx512", "avx2" or "portable"
const char* to_string(InstructionSet set);

}  // namespace larmor

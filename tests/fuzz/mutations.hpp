#pragma once

#include "fuzz/targets.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Mutations that get past checksums and signatures.

namespace larmor::test::fuzz {

/// A part of an HDF5 file and the position of its checksum, which covers everything before it in the part.
struct Checked {
  std::size_t start, sum;
};
/// Parts of a valid file that have checksums: superblocks, object headers, headers of heaps and indices.
std::vector<Checked> checked_parts(Bytes file);
/// Bob Jenkins' hash of 2006 (lookup3), as the HDF5 File Format Specification 3.0 uses it for metadata.
std::uint32_t metadata_checksum(Bytes bytes);

/// Changes fields and corrects the checksums. In one of four cases calls `random` instead.
std::size_t mutate_hdf5(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                        const Mutate& random);
/// Messages keep their signatures, and usually counts that match their lengths.
std::size_t mutate_messages(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                            const Mutate& random);
/// Corrects checksums in one of two cases.
std::size_t mutate_wisdom(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                          const Mutate& random);
std::size_t mutate_checkpoint(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                              const Mutate& random);

/// Without a fuzzing engine: changes bits and numbers, copies, and cuts at random.
std::size_t mutate_anyhow(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed);

}  // namespace larmor::test::fuzz

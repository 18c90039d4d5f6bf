#pragma once

#include <larmor/core/error.hpp>
#include <larmor/core/export.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace LARMOR_API larmor {

/// Class of the Error of a rank that another one has left alone, and exit status of recon when one of its
/// processes was killed or stopped.
inline constexpr ErrorClass rank_lost{5};

/// Memory that the ranks of one machine share: where they meet, what they exchange, and which of them has
/// failed. Made by the process that starts them; the others inherit its descriptor. Ranks may also be threads
/// of one process.
class RankSegment {
 public:
  /// Room for so many ranks. Throws Error: usage for a number outside [1, most_ranks], resource when the
  /// memory is not there.
  static std::shared_ptr<RankSegment> create(int ranks);
  /// That of an inherited descriptor, which is closed. Throws Error (internal) when it holds none, or one of
  /// another version of this program.
  static std::shared_ptr<RankSegment> inherited(int descriptor);
  RankSegment(const RankSegment&) = delete;
  RankSegment& operator=(const RankSegment&) = delete;
  ~RankSegment();

  static constexpr int most_ranks = 256;  ///< of one machine
  /// What a rank shows at a time.
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

  /// How many there are.
  int ranks() const;
  /// Inherited by processes that are started.
  int descriptor() const { return descriptor_; }
  /// What a rank shows to others at a time, and where they find what was made of it.
  std::byte* chunk(int rank) const;
  std::byte* result() const;
  /// Returns when all ranks have called it as often. Throws Error (rank_lost) when one of them has failed.
  void barrier();

  /// The first failure counts; later ones are consequences.
  void fail(int rank, int status, const std::string& message) noexcept;
  /// Which failed first, and why.
  struct Failure {
    int rank = -1;  ///< none; ranks(): the process that started them
    int status = 0;
    std::string message;
  };
  Failure failure() const;

 private:
  struct Control;
  RankSegment(int descriptor, std::size_t bytes);
  void throw_if_failed() const;

  int descriptor_;
  std::size_t bytes_;
  Control* control_ = nullptr;
};

}  // namespace larmor

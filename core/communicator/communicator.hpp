#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <string>
#include <type_traits>

namespace LARMOR_API larmor {

/// Class of the Error thrown on a rank after another one has ended.
inline constexpr ErrorClass rank_lost{5};

/// Operation that combines the values of all ranks.
enum class Reduction { sum, maximum };

/// Communication between ranks, which are processes or threads that work on one problem. Every rank calls the
/// same functions in the same order with arrays of the same shape, in host memory or, if NCCL connects them,
/// on its own device; after a reduction all ranks have the same bits. Work on a CUDA device is ordered in its
/// stream and can be recorded into a graph. One thread of a rank uses it at a time. A call throws Error
/// (rank_lost) if another rank has ended early.
class Communicator {
 public:
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// From 0 to size() − 1.
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Transport of arrays: "MPI", "NCCL 2.28.3".
  virtual std::string name() const = 0;

  /// values = Σ of the values of all ranks, or their maximum. T: float, double or complex of these (sums
  /// only).
  template <typename T>
  void all_reduce(View<T> values, Reduction how = Reduction::sum) {
    using Real = decltype(std::abs(T()));
    static_assert(std::is_same_v<Real, float> || std::is_same_v<Real, double>);
    const Index reals = values.size() * static_cast<Index>(sizeof(T) / sizeof(Real));
    reduce({values.data(), reals, std::is_same_v<Real, float> ? Element::single : Element::full, how},
           values.device());
  }
  double all_reduce(double value, Reduction how = Reduction::sum);
  /// values = those of the rank `root`.
  template <typename T>
  void broadcast(View<T> values, int root) {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(values.data(), values.bytes(), root, values.device());
  }
  /// The text of the rank `root`.
  std::string broadcast(std::string text, int root);
  /// Returns when all ranks have called it.
  void barrier();
  /// The largest exit status of all ranks; 0: all succeeded.
  int agree_on_status(int status);
  /// Ends the work of all ranks: the next call of each throws. The message of the first
  /// rank that calls it is the one reported.
  virtual void abort(int status, const std::string& message) noexcept = 0;

 protected:
  /// Precision of real numbers.
  enum class Element { single, full };
  /// Data of an in-place reduction; a complex number counts as two real ones.
  struct Values {
    void* data;       ///< the first element
    Index count;      ///< of real numbers
    Element element;  ///< their precision
    Reduction how;    ///< operation on the ranks' values
  };
  /// One of `size` ranks.
  Communicator(int rank, int size) : rank_(rank), size_(size) {}

  /// Combines values in host memory in place, on all ranks.
  virtual void reduce_on_host(const Values& values) = 0;
  /// Copies bytes in host memory from the rank `root`.
  virtual void broadcast_on_host(void* bytes, std::size_t size, int root) = 0;
  /// The same for device memory, in stream order. Throws Error (resource) unless overridden.
  virtual void reduce_on_device(const Values& values, int ordinal);
  virtual void broadcast_on_device(void* bytes, std::size_t size, int root, int ordinal);

 private:
  void reduce(const Values& values, const Device& device);
  void broadcast_bytes(void* bytes, std::size_t size, int root, const Device& device);

  int rank_, size_;
};

/// This rank's entries of a list of `count`: a contiguous part; sizes differ by 1 at most.
struct Share {
  Index first, count;
};
Share share_of(Index count, int rank, int size);
inline Share share_of(Index count, const Communicator& ranks) {
  return share_of(count, ranks.rank(), ranks.size());
}

}  // namespace larmor

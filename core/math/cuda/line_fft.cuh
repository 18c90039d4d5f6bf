#pragma once

#include <larmor/core/cuda/host_device.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/core/math/cuda/small_dft.cuh>

namespace larmor::cuda {

// Transforms of a tile of lines by one block of threads. Value e of the tile's line c lies in shared memory
// at slot(e, c); every stage takes butterflies of R values to registers and puts them back where they were,
// so one buffer and one barrier per stage are enough. The forward transform leaves frequencies in digit-
// reversed places (decimation in frequency), from where its last stage stores them; the backward transform
// runs the stages the other way round. The first stage loads by a functor, the last one stores by a functor,
// so values go between global memory and registers directly. Both functors see a whole butterfly, so that its
// loads are issued together: values of line c, first, first + step, … load(c, first, step, v) fills v;
// store(c, first, step, v, slot, slot_step) takes it, and may use the butterfly's own places in shared
// memory, slot, slot + slot_step, …;  factors(c, first, step, f) fills f. Threads are handed out with `inner`
// neighbouring lines first, then butterflies, then the other lines: whichever of the two is contiguous in
// memory.

/// Number of lines at the start of a tile that neighbouring threads share.
struct Inner {
  int log2;
};

template <int n, typename T>
__device__ __forceinline__ void swap_all(Complex<T> (&v)[n]) {
  unrolled<n>([&](auto i) { v[i] = swapped(v[i]); });
}

/// Row of a twiddle table, k = 0 … radix − 1, loaded two at a time in float.
template <int radix, typename T>
__device__ __forceinline__ void load_twiddles(Complex<T> (&w)[radix], const Complex<T>* row) {
  if constexpr (sizeof(T) == 4) {
    unrolled_constants<(radix + 1) / 2>([&](auto i) {
      const float4 pair = __ldg(reinterpret_cast<const float4*>(row) + i);
      w[2 * i] = {pair.x, pair.y};
      if constexpr (2 * i + 1 < radix) w[2 * i + 1] = {pair.z, pair.w};
    });
  } else {
    unrolled<radix>([&](auto i) {
      const double2 value = __ldg(reinterpret_cast<const double2*>(row) + i);
      w[i] = {value.x, value.y};
    });
  }
}
/// The same with fewer loads, which compete with exchanges for bandwidth to shared memory.
template <typename T>
__device__ __forceinline__ void load_few_twiddles(Complex<T> (&w)[8], const Complex<T>* row) {
  unrolled<3>([&](auto i) {
    const float2 value = __ldg(reinterpret_cast<const float2*>(row) + (1 << i));
    w[1 << i] = {value.x, value.y};
  });
  w[3] = w[1] * w[2];
  w[5] = w[1] * w[4];
  w[6] = w[2] * w[4];
  w[7] = w[3] * w[4];
}
template <int radix, typename T>
__device__ __forceinline__ void multiply_by(Complex<T> (&v)[radix], const Complex<T> (&w)[radix]) {
  unrolled<radix - 1>([&](auto i) { v[i + 1] = v[i + 1] * w[i + 1]; });
}
template <int radix, typename T>
__device__ __forceinline__ void twiddle(Complex<T> (&v)[radix], const Complex<T>* row) {
  Complex<T> w[radix];
  if constexpr (radix == 8 && sizeof(T) == 4)
    load_few_twiddles(w, row);
  else
    load_twiddles<radix>(w, row);
  multiply_by<radix>(v, w);
}

/// A length known at compile time, R1·R2·R3 (R3 = 1: two stages). skewed: for threads that share the
/// butterflies of a line rather than neighbouring lines.
template <typename T, int R1, int R2, int R3, int block_threads, bool skewed>
struct FixedLine {
  using Value = Complex<T>;
  static constexpr int length = R1 * R2 * R3, threads = block_threads, sub_length = length / R1;
  static constexpr int last = R3 > 1 ? R3 : R2;

  // Values of a line are `pitch` apart, its first R1 parts sub_pitch. A row of 128 bytes fills the banks of
  // shared memory, narrower rows are placed one after the other; a skewed line must not return to the same
  // bank.
  static constexpr int widest_row = 128 / static_cast<int>(sizeof(Value));
  static constexpr int pitch_of(int columns) { return skewed ? columns + 1 : columns; }
  static constexpr int sub_pitch_of(int columns) {
    const int values = sub_length * pitch_of(columns);
    return skewed ? values + 1 : values + (columns + widest_row - values % widest_row) % widest_row;
  }
  static constexpr std::size_t bytes_of(int columns) { return sizeof(Value) * R1 * sub_pitch_of(columns); }
  // Every device of compute capability 8.0 has 163 kB for a block.
  static constexpr int columns_that_fit(int columns) {
    return bytes_of(columns) <= 160 * 1024 || columns == 1 ? columns : columns_that_fit(columns / 2);
  }
  static constexpr int columns = columns_that_fit(widest_row);
  static constexpr int pitch = pitch_of(columns), sub_pitch = sub_pitch_of(columns);
  static constexpr std::size_t shared_bytes = bytes_of(columns);

  // Blocks per multiprocessor: as many as its shared memory (with 4 kB for other purposes) and 64 to 80
  // registers per thread allow, 128 in double.
  static constexpr int widest = R1 > R2 ? (R1 > R3 ? R1 : R3) : (R2 > R3 ? R2 : R3);
  static constexpr int by_memory = static_cast<int>(227 * 1024 / (shared_bytes + 5120));
  static constexpr int registers = sizeof(T) == 8 ? 128 : widest > 16 ? 96 : widest > 12 ? 80 : 64;
  static constexpr int by_registers = 65536 / (threads * registers);
  static constexpr int blocks_that_fit = by_memory < by_registers ? by_memory : by_registers;
  static constexpr int blocks = blocks_that_fit < 1 ? 1 : blocks_that_fit;

  Value* shared;
  const Value* twiddles;

  __device__ FixedLine(const LineFft<T>& fft, Value* memory, int)
      : shared(memory), twiddles(reinterpret_cast<const Value*>(fft.twiddles)) {}

  static std::size_t bytes(int, int) { return shared_bytes; }
  __device__ int slot(int e, int c) const { return e / sub_length * sub_pitch + e % sub_length * pitch + c; }
  __device__ static constexpr int columns_log2() {
    return columns == 16 ? 4 : columns == 8 ? 3 : columns == 4 ? 2 : columns == 2 ? 1 : 0;
  }

  // Butterflies of `radix`: body(butterfly, column).
  template <int radix, typename Body>
  __device__ __forceinline__ static void each(Inner inner, const Body& body) {
    constexpr int butterflies = length / radix, tasks = butterflies * columns;
    const int mask = (1 << inner.log2) - 1;
#pragma unroll 1
    for (int t = static_cast<int>(threadIdx.x); t < tasks; t += threads) {
      const int q = t >> inner.log2;
      body(q % butterflies, q / butterflies << inner.log2 | (t & mask));
    }
  }
  template <int radix, typename Body>
  __device__ __forceinline__ static void each_by_columns(const Body& body) {
    constexpr int butterflies = length / radix;
    const int column = static_cast<int>(threadIdx.x) % columns;
#pragma unroll 1
    for (int b = static_cast<int>(threadIdx.x) / columns; b < butterflies; b += threads / columns)
      body(b, column);
  }

  __device__ const Value* first_twiddles(int j) const {
    return twiddles + j * (R1 + R1 % 2);
  }
  __device__ const Value* middle_twiddles(int j) const {
    return twiddles + sub_length * (R1 + R1 % 2) + j * (R2 + R2 % 2);
  }
  // First frequency of a butterfly in the last forward stage; butterfly b holds frequencies b +
  // k·length/last.
  __device__ static int last_base(int b, int c) {
    return b % R1 * sub_pitch + b / R1 * (last * pitch) + c;
  }

  // The inputs that the first radix can skip; not used in double, which is limited by memory anyway.
  static constexpr bool halves = sizeof(T) == 4 && R1 % 2 == 0, quarters = sizeof(T) == 4 && R1 % 4 == 0;

  template <Live live, typename Load>
  __device__ __forceinline__ void forward_first_of(const Load& load, Inner inner) const {
    each<R1>(inner, [&](int j, int c) {
      Value v[R1];
      if constexpr (live == Live::all) {
        load(c, j, sub_length, v);
      } else if constexpr (live == Live::first_half) {
        Value half[R1 / 2];
        load(c, j, sub_length, half);
        unrolled<R1>([&](auto r) { v[r] = r < R1 / 2 ? half[r % (R1 / 2)] : Value{0, 0}; });
      } else {
        constexpr int quarter = R1 / 4;
        Value begin[quarter], end[quarter];
        load(c, j, sub_length, begin);
        load(c, j + 3 * quarter * sub_length, sub_length, end);
        unrolled<R1>([&](auto r) {
          v[r] = r < quarter ? begin[r % quarter] : r >= 3 * quarter ? end[r % quarter] : Value{0, 0};
        });
      }
      dft<R1, live>(v);
      twiddle<R1>(v, first_twiddles(j));
      unrolled<R1>([&](auto r) { shared[j * pitch + c + r * sub_pitch] = v[r]; });
    });
  }
  template <Live live, typename Store>
  __device__ __forceinline__ void backward_last_of(const Store& store, Inner inner) const {
    each<R1>(inner, [&](int j, int c) {
      Value v[R1];
      const int base = j * pitch + c;
      unrolled<R1>([&](auto r) { v[r] = shared[base + r * sub_pitch]; });
      twiddle<R1>(v, first_twiddles(j));
      dft<R1>(v);
      swap_all(v);
      if constexpr (live == Live::all) {
        store(c, j, sub_length, v, base, sub_pitch);
      } else if constexpr (live == Live::first_half) {
        Value half[R1 / 2];
        unrolled<R1 / 2>([&](auto r) { half[r] = v[r]; });
        store(c, j, sub_length, half, base, sub_pitch);
      } else {
        constexpr int quarter = R1 / 4;
        Value begin[quarter], end[quarter];
        unrolled<quarter>([&](auto r) { begin[r] = v[r], end[r] = v[3 * quarter + r]; });
        store(c, j, sub_length, begin, base, sub_pitch);
        store(c, j + 3 * quarter * sub_length, sub_length, end, base + 3 * quarter * sub_pitch, sub_pitch);
      }
    });
  }
  template <typename Load>
  __device__ __forceinline__ void forward_first(const Load& load, Inner inner, Live live) const {
    if (halves && live == Live::first_half)
      forward_first_of<halves ? Live::first_half : Live::all>(load, inner);
    else if (quarters && live == Live::outer_quarters)
      forward_first_of<quarters ? Live::outer_quarters : Live::all>(load, inner);
    else
      forward_first_of<Live::all>(load, inner);
    __syncthreads();
  }
  template <typename Store>
  __device__ __forceinline__ void backward_last(const Store& store, Inner inner, Live live) const {
    if (halves && live == Live::first_half)
      backward_last_of<halves ? Live::first_half : Live::all>(store, inner);
    else if (quarters && live == Live::outer_quarters)
      backward_last_of<quarters ? Live::outer_quarters : Live::all>(store, inner);
    else
      backward_last_of<Live::all>(store, inner);
  }
  template <bool backward, bool keep_twiddles>
  __device__ __forceinline__ void middle() const {
    if constexpr (R3 > 1) {
      // If a thread's butterflies share their twiddles, these can be loaded once.
      constexpr bool steady = keep_twiddles && threads / columns % R3 == 0;
      Value w[R2];
      if constexpr (steady)
        load_twiddles<R2>(w, middle_twiddles(static_cast<int>(threadIdx.x) / columns % R3));
      each_by_columns<R2>([&](int b, int c) {
        Value v[R2];
        const int j = b % R3;
        Value* base = shared + b / R3 * sub_pitch + j * pitch + c;
        if constexpr (!steady) load_twiddles<R2>(w, middle_twiddles(j));
        unrolled<R2>([&](auto r) { v[r] = base[r * (R3 * pitch)]; });
        if constexpr (backward) multiply_by<R2>(v, w);
        dft<R2>(v);
        if constexpr (!backward) multiply_by<R2>(v, w);
        unrolled<R2>([&](auto r) { base[r * (R3 * pitch)] = v[r]; });
      });
      __syncthreads();
    }
  }
  template <typename Load, typename Store>
  __device__ __forceinline__ void forward(const Load& load, Inner load_inner, const Store& store,
                                          Inner store_inner, Live live) const {
    forward_first(load, load_inner, live);
    middle<false, true>();
    each<last>(store_inner, [&](int b, int c) {
      Value v[last];
      const int base = last_base(b, c);
      unrolled<last>([&](auto r) { v[r] = shared[base + r * pitch]; });
      dft<last>(v);
      store(c, b, length / last, v, base, pitch);
    });
  }
  template <typename Load, typename Store>
  __device__ __forceinline__ void backward(const Load& load, Inner load_inner, const Store& store,
                                           Inner store_inner, Live live) const {
    each<last>(load_inner, [&](int b, int c) {
      Value v[last];
      load(c, b, length / last, v);
      swap_all(v);
      dft<last>(v);
      const int base = last_base(b, c);
      unrolled<last>([&](auto r) { shared[base + r * pitch] = v[r]; });
    });
    __syncthreads();
    middle<true, true>();
    backward_last(store, store_inner, live);
  }
  /// Backward transform of factors times the forward transform. half: the second half of the lines is zero
  /// and not needed afterwards. A barrier precedes the first factor. Twiddles are loaded again, which is
  /// faster here.
  template <bool half, typename Load, typename Factors, typename Store>
  __device__ __forceinline__ void convolve(const Load& load, const Factors& factors,
                                           const Store& store) const {
    constexpr Live live = half && halves ? Live::first_half : Live::all;
    const Inner all{columns_log2()};
    forward_first_of<live>(load, all);
    __syncthreads();
    middle<false, false>();
    each_by_columns<last>([&](int b, int c) {
      Value v[last];
      const int base = last_base(b, c);
      T f[last];
      factors(c, b, length / last, f);
      unrolled<last>([&](auto r) { v[r] = shared[base + r * pitch]; });
      dft<last>(v);
      unrolled<last>([&](auto k) { v[k] = swapped(v[k] * f[k]); });
      dft<last>(v);
      unrolled<last>([&](auto r) { shared[base + r * pitch] = v[r]; });
    });
    __syncthreads();
    middle<true, false>();
    backward_last_of<live>(store, all);
  }
};

/// Stage s of a run-time transform, in place, on lines of `length` that are blocks of `block` values.
template <int radix, typename T>
__device__ __forceinline__ void run_time_stage(Complex<T>* shared, const Complex<T>* twiddles, int length,
                                               int block, int columns_log2, int pitch, bool backward) {
  const int tasks = length / radix << columns_log2, next = block / radix;
  const int c = static_cast<int>(threadIdx.x) & ((1 << columns_log2) - 1);
  for (int t = static_cast<int>(threadIdx.x); t < tasks; t += static_cast<int>(blockDim.x)) {
    const int b = t >> columns_log2, j = b % next;
    Complex<T>* base = shared + (b / next * block + j) * pitch + c;
    const Complex<T>* row = twiddles + j * (radix + radix % 2);
    Complex<T> v[radix];
    unrolled<radix>([&](auto r) { v[r] = base[r * next * pitch]; });
    if (backward && next > 1) twiddle<radix>(v, row);
    dft<radix>(v);
    if (!backward && next > 1) twiddle<radix>(v, row);
    unrolled<radix>([&](auto r) { base[r * next * pitch] = v[r]; });
  }
}

/// All stages of a run-time transform in shared memory. Not inlined: one copy serves all kernels of a file.
template <typename T>
__device__ __noinline__ void run_time_stages(Complex<T>* shared, const LineFft<T>* fft, int columns_log2,
                                             int pitch, bool backward) {
  const auto* twiddles = reinterpret_cast<const Complex<T>*>(fft->twiddles);
  const int stages = fft->radices.stages;
  for (int i = 0; i < stages; ++i) {
    const int s = backward ? stages - 1 - i : i;
    int block = fft->length;
    const Complex<T>* row = twiddles;
    for (int before = 0; before < s; ++before) {
      const int radix = fft->radices.radix[before];
      block /= radix;
      row += block * (radix + radix % 2);
    }
    const auto stage = [&]<int radix>(std::integral_constant<int, radix>) {
      run_time_stage<radix>(shared, row, fft->length, block, columns_log2, pitch, backward);
    };
    switch (fft->radices.radix[s]) {
      case 2:
        stage(std::integral_constant<int, 2>{});
        break;
      case 3:
        stage(std::integral_constant<int, 3>{});
        break;
      case 4:
        stage(std::integral_constant<int, 4>{});
        break;
      case 5:
        stage(std::integral_constant<int, 5>{});
        break;
      case 6:
        stage(std::integral_constant<int, 6>{});
        break;
      case 7:
        stage(std::integral_constant<int, 7>{});
        break;
      case 8:
        stage(std::integral_constant<int, 8>{});
        break;
      case 9:
        stage(std::integral_constant<int, 9>{});
        break;
      case 10:
        stage(std::integral_constant<int, 10>{});
        break;
      case 16:
        stage(std::integral_constant<int, 16>{});
        break;
    }
    __syncthreads();
  }
}

/// Any length that line_fft() supports: loads, stages and stores one after another.
template <typename T>
struct AnyLine {
  using Value = Complex<T>;
  static constexpr int threads = 256, blocks = 2;

  const LineFft<T>& fft;
  Value* shared;
  int log2, pitch;

  __device__ AnyLine(const LineFft<T>& of, Value* memory, int columns_log2)
      : fft(of), shared(memory), log2(columns_log2), pitch(pitch_of(columns_log2)) {}

  static LARMOR_HOST_DEVICE int pitch_of(int columns_log2) {
    return columns_log2 == 0 ? 1 : (1 << columns_log2) + 1;
  }
  static std::size_t bytes(int length, int columns_log2) {
    return sizeof(Value) * static_cast<std::size_t>(length * pitch_of(columns_log2));
  }
  __device__ int columns_log2() const { return log2; }
  __device__ int slot(int e, int c) const { return e * pitch + c; }

  // Visits the values of all lines: body(value, column).
  template <typename Body>
  __device__ __forceinline__ void each(Inner inner, const Body& body) const {
    const int mask = (1 << inner.log2) - 1, tasks = fft.length << log2;
    for (int t = static_cast<int>(threadIdx.x); t < tasks; t += threads) {
      const int q = t >> inner.log2, high = q / fft.length;
      body(q - high * fft.length, high << inner.log2 | (t & mask));
    }
  }
  template <typename Load>
  __device__ __forceinline__ void load_all(const Load& load, Inner inner, bool backward) const {
    each(inner, [&](int e, int c) {
      Value v[1];
      load(c, e, 0, v);
      shared[slot(backward ? fft.position[e] : e, c)] = backward ? swapped(v[0]) : v[0];
    });
    __syncthreads();
  }
  template <typename Store>
  __device__ __forceinline__ void store_all(const Store& store, Inner inner, bool backward) const {
    each(inner, [&](int e, int c) {
      const int at = slot(backward ? e : fft.position[e], c);
      Value v[1] = {backward ? swapped(shared[at]) : shared[at]};
      store(c, e, 0, v, at, 0);
    });
  }
  template <typename Load, typename Store>
  __device__ __forceinline__ void forward(const Load& load, Inner load_inner, const Store& store,
                                          Inner store_inner, Live) const {
    load_all(load, load_inner, false);
    run_time_stages(shared, &fft, log2, pitch, false);
    store_all(store, store_inner, false);
  }
  template <typename Load, typename Store>
  __device__ __forceinline__ void backward(const Load& load, Inner load_inner, const Store& store,
                                           Inner store_inner, Live) const {
    load_all(load, load_inner, true);
    run_time_stages(shared, &fft, log2, pitch, true);
    store_all(store, store_inner, true);
  }
  template <bool half, typename Load, typename Factors, typename Store>
  __device__ __forceinline__ void convolve(const Load& load, const Factors& factors,
                                           const Store& store) const {
    const Inner all{log2};
    load_all(load, all, false);
    run_time_stages(shared, &fft, log2, pitch, false);
    each(all, [&](int e, int c) {
      T f[1];
      factors(c, e, 0, f);
      Value& value = shared[slot(fft.position[e], c)];
      value = swapped(value * f[0]);
    });
    __syncthreads();
    run_time_stages(shared, &fft, log2, pitch, true);
    store_all(store, all, true);
  }
};

}  // namespace larmor::cuda

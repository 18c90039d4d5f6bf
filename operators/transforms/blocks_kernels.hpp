#pragma once

#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

/// Division of images [batch, z, y, x] into blocks: periodic, with blocks of `size` along each axis, the
/// first one at `shift`; if the extent is no multiple of the size the last block is padded with zeros.
struct BlockGrid {
  std::int64_t batch;
  std::int64_t extent[3], size[3], count[3], shift[3];

  LARMOR_HOST_DEVICE std::int64_t blocks() const { return count[0] * count[1] * count[2]; }
  /// Pixels of a block.
  LARMOR_HOST_DEVICE std::int64_t pixels() const { return size[0] * size[1] * size[2]; }
  LARMOR_HOST_DEVICE std::int64_t values() const { return blocks() * batch * pixels(); }
};

/// Blocks [block, batch, z, y, x] of images. Rows: (block, batch, z, y).
template <typename T>
struct GatherBlocks {
  static constexpr const char* name = "gather blocks";
  BlockGrid grid;
  const ComplexValue<T>* image;
  ComplexValue<T>* blocks;
  bool accumulate;

  struct Line {
    const ComplexValue<T>* image;  ///< the row in the image, null outside
    ComplexValue<T>* out;
    std::int64_t first, extent, shift;
    bool accumulate;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      ComplexValue<T> value{0, 0};
      if (image && first + x < extent) {
        const std::int64_t from = first + x + shift;
        value = image[from < extent ? from : from - extent];
      }
      out[x] = accumulate ? out[x] + value : value;
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const std::int64_t y = row % grid.size[1], z = row / grid.size[1] % grid.size[0];
    const std::int64_t matrix = row / (grid.size[1] * grid.size[0]);
    const std::int64_t entry = matrix % grid.batch, block = matrix / grid.batch;
    const std::int64_t first = block % grid.count[2] * grid.size[2];
    const std::int64_t at_y = block / grid.count[2] % grid.count[1] * grid.size[1] + y;
    const std::int64_t at_z = block / (grid.count[2] * grid.count[1]) * grid.size[0] + z;
    const std::int64_t from_y = (at_y + grid.shift[1]) % grid.extent[1];
    const std::int64_t from_z = (at_z + grid.shift[0]) % grid.extent[0];
    const bool inside = at_y < grid.extent[1] && at_z < grid.extent[0];
    const std::int64_t start = ((entry * grid.extent[0] + from_z) * grid.extent[1] + from_y) * grid.extent[2];
    return {inside ? image + start : nullptr,
            blocks + row * grid.size[2],
            first,
            grid.extent[2],
            grid.shift[2],
            accumulate};
  }
};

/// The adjoint, which puts every pixel back. Rows: (batch, z, y) of the image.
template <typename T>
struct ScatterBlocks {
  static constexpr const char* name = "scatter blocks";
  BlockGrid grid;
  const ComplexValue<T>* blocks;
  ComplexValue<T>* image;
  bool accumulate;

  struct Line {
    const ComplexValue<T>* blocks;  ///< the row in the first of a row of blocks
    ComplexValue<T>* out;
    std::int64_t size, block_stride, extent, shift;
    bool accumulate;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      const std::int64_t at = x < shift ? x - shift + extent : x - shift, block = at / size;
      const ComplexValue<T> value = blocks[block * block_stride + at - block * size];
      out[x] = accumulate ? out[x] + value : value;
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const std::int64_t y = row % grid.extent[1], z = row / grid.extent[1] % grid.extent[0];
    const std::int64_t entry = row / (grid.extent[1] * grid.extent[0]);
    const std::int64_t at_y = (y - grid.shift[1] + grid.extent[1]) % grid.extent[1];
    const std::int64_t at_z = (z - grid.shift[0] + grid.extent[0]) % grid.extent[0];
    const std::int64_t block = (at_z / grid.size[0] * grid.count[1] + at_y / grid.size[1]) * grid.count[2];
    const std::int64_t in_block = at_z % grid.size[0] * grid.size[1] + at_y % grid.size[1];
    return {blocks + (block * grid.batch + entry) * grid.pixels() + in_block * grid.size[2],
            image + row * grid.extent[2],
            grid.size[2],
            grid.batch * grid.pixels(),
            grid.extent[2],
            grid.shift[2],
            accumulate};
  }
};

/// y[a] = Σ_b m[a][b] x[b], or with the conjugate transpose of m, for rows b of `width`. Rows: a.
template <typename T>
struct MixRows {
  static constexpr const char* name = "mix rows";
  const ComplexValue<T>* matrix;  ///< [rows of m, columns]
  std::int64_t columns;           ///< of m
  std::int64_t terms;             ///< rows of x
  std::int64_t width;
  bool transposed, accumulate;
  const ComplexValue<T>* x;
  ComplexValue<T>* y;

  struct Line {
    const MixRows* body;
    std::int64_t a;
    LARMOR_HOST_DEVICE ComplexValue<T> factor(std::int64_t b) const {
      if (!body->transposed) return body->matrix[a * body->columns + b];
      const ComplexValue<T> m = body->matrix[b * body->columns + a];
      return {m.re, -m.im};
    }
    LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
      ComplexValue<T>& out = body->y[a * body->width + i];
      ComplexValue<T> sum = body->accumulate ? out : ComplexValue<T>{0, 0};
      for (std::int64_t b = 0; b < body->terms; ++b)
        sum = sum + product(factor(b), body->x[b * body->width + i]);
      out = sum;
    }
    void run(std::int64_t first, std::int64_t last) const {
      ComplexValue<T>* out = body->y + a * body->width;
      if (!body->accumulate)
        for (std::int64_t i = first; i < last; ++i) out[i] = {0, 0};
      for (std::int64_t b = 0; b < body->terms; ++b) {
        const ComplexValue<T> m = factor(b), *in = body->x + b * body->width;
        for (std::int64_t i = first; i < last; ++i) out[i] = out[i] + product(m, in[i]);
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t a) const { return {this, a}; }
};

}  // namespace larmor

#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>

namespace LARMOR_API larmor {

/// What a reconstruction made of an object that is known. Both [outer…, (z,) y, x].
template <typename T>
struct KnownReconstruction {
  View<const std::complex<T>> object;
  View<const std::complex<T>> image;
};

/// An image that may be the one that data were measured of, where the same reconstruction with the same noise
/// variance has made `found` of the data and known.image of a random object: h found + (object − h image).
/// What is known of the data's object comes from its own image, and what that cannot tell from the random
/// object: conditional simulation (Journel & Huijbregts 1978). In each shell of k-space h is Wiener's filter
/// of `found`, whose noise is what does not follow the object in known.image. `dims` axes of space. On the
/// context's device.
template <typename T>
Array<std::complex<T>> probable_image(View<const std::complex<T>> found, const KnownReconstruction<T>& known,
                                      int dims, Context& ctx);

}  // namespace larmor

#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

// An image with a smooth phase: x = p r, p known and r real. k-space of r is symmetric, so that samples of
// one side determine the other (Margosian et al. 1986; with coils and any trajectory Bydder & Robson 2005). A
// model A of x becomes A·phase_constraint(p), a real-linear operator that every solver supports.

/// The phase p, |p| = 1, of each image of the unknown [outer…, (z,) y, x]: that of the least-squares solution
/// within the centre of its k-space, tapered towards its edge. normal, rhs: AᴴA and Aᴴy of the model without
/// constraint, on the context's device. centre [(z,) y, x]: width in points of the ellipsoid around k = 0
/// that is sampled without holes. 1 where that solution is zero. Throws Error (usage) for a centre larger
/// than the image.
template <typename T>
Array<std::complex<T>> smooth_phase(const LinearOperator<T>& normal,
                                    std::type_identity_t<View<const std::complex<T>>> rhs,
                                    const Shape& centre, Context& ctx);

/// r → p Re r, from images r to images x of the shape of p. Its adjoint, with respect to Re⟨x, y⟩, is
/// x → Re(p̄ x).
template <typename T>
Operator<T> phase_constraint(Array<std::complex<T>> phase);

}  // namespace larmor

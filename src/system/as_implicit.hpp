// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <daedal/system.hpp>
#include <memory>

namespace daedal {

/// x' − f(t, x) = 0: an explicit system for implicit schemes, with a dense pattern. The Jacobian
/// is the system's own where it has one, else forward differences. Events and everything after a
/// step stay with `system`, which must outlive the adapter and makes its Run. The adapter has a
/// workspace: it belongs to one stepper.
std::unique_ptr<ImplicitSystem> as_implicit(const ExplicitSystem& system);

}  // namespace daedal

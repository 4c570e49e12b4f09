// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The discrete Fourier transform of the Modelica Standard Library, which calls a C library there:
/// for n real samples u the amplitudes 2/n |X_k| and phases arg X_k of
///
///     X_k = Σ_j u_j exp(−2πi jk/n),   k = 0 to n/2,
///
/// written out by splitting n into its prime factors (Cooley, Tukey, "An algorithm for the machine
/// calculation of complex Fourier series", Math. Comp. 19 (1965) 297-301).

#include <span>
#include <string_view>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

[[nodiscard]] bool is_fourier_transform(std::string_view name);
/// 0 for success, amplitudes and phases. Empty where the arguments are not one vector of Reals, or
/// one so long that the formulas would fill the memory.
std::vector<Value> fourier_transform(Pool& pool, std::span<const Value> arguments);

}  // namespace daedal::modelica

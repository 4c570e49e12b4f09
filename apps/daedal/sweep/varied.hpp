// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the runs of a sweep differ in, as the command line says it.

#include <cstdint>
#include <daedal/ensemble.hpp>
#include <daedal/model.hpp>
#include <string>
#include <vector>

namespace daedal::app {

struct VariedArguments {
  std::vector<std::string> random;  ///< "m~normal(1,0.1)"
  std::string file;                 ///< CSV: a row for each member
  std::size_t samples = 0;
  std::uint64_t seed = 1;
};

/// Takes those texts out of `assignments` that give several values: "a=0:0.1:1" and "b=1,2,5".
/// Throws OptionError.
std::vector<MemberAxis> take_axes(std::vector<std::string>& assignments, bool is_start_value);

/// Every combination of the axes, of the rows of the file and of the random samples. Throws
/// OptionError.
Members read_members(std::vector<MemberAxis> axes, const VariedArguments& arguments,
                     const Model& model);

}  // namespace daedal::app

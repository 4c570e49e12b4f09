// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// "Did you mean ...?": the declared name nearest to one that nothing declares.

#include <span>
#include <string>
#include <string_view>

#include <daedal/export.hpp>

namespace daedal {

/// The candidate of smallest edit distance (insert, delete, replace, swap of neighbours, letter
/// case free), the first of equals. Empty when none is near: at most a third of the letters differ.
DAEDAL_EXPORT std::string nearest_name(std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace daedal

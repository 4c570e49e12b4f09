// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Names that are meant: "Did you mean ...?", and patterns of names.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// The first candidate that is the name and more words, or else that of smallest edit distance
/// (insert, delete, replace, swap of neighbours, letter case free), the first of equals. Empty when
/// none is near: at most a third of the letters differ.
DAEDAL_EXPORT std::string nearest_name(std::string_view name,
                                       std::span<const std::string> candidates);

/// `*` stands for any letters, `?` for one.
DAEDAL_EXPORT bool matches_glob(std::string_view text, std::string_view glob);

/// The places of the names that match one of the globs, each once: in the order of the globs, and
/// for each of them in the order of the names. Of all names where there is no glob. A glob that
/// matches no name looks among `further` ones, whose places follow. Throws
/// OptionError{unknown_name} for a glob that matches nothing.
DAEDAL_EXPORT std::vector<std::size_t> select_columns(std::span<const std::string> names,
                                                      std::span<const std::string> globs,
                                                      std::span<const std::string> further = {});

}  // namespace daedal

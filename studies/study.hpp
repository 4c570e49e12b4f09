// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The papers' tables, ours beside theirs. A study is one paper: a folder here, a row of the table
/// in studies.cpp. Studies are linked by the program, never by the library.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::studies {

/// One number of a paper and ours.
struct Entry {
  std::string table;
  std::string row;
  std::string column;
  std::optional<double> paper;  ///< absent where the paper shows a figure, or nothing
  double ours = 0.0;
  std::string note;  ///< a likely misprint, a difference in setting, ...
};

struct Study {
  std::string_view name;   ///< as `daedal reproduce` takes it: "fuehrer-leimkuhler"
  std::string_view paper;  ///< authors and title
  std::vector<Entry> (*run)();
};

std::span<const Study> all_studies();

}  // namespace daedal::studies

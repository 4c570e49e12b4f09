// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Tables of numbers read from comma-separated values (RFC 4180), as csv_rows() makes them. Blanks
/// around a field without quotes do not belong to it.

#include <istream>
#include <string>
#include <vector>

namespace daedal::io {

struct CsvTable {
  std::vector<std::string> names;  ///< of the columns, the first line
  std::vector<double> values;      ///< row-major
  std::vector<std::size_t> lines;  ///< of the rows in the text, from 1
  [[nodiscard]] std::size_t n_rows() const {
    return names.empty() ? 0 : values.size() / names.size();
  }
};

/// `source` names the text in messages. Throws OptionError{file_not_readable} with the line of a
/// field that is no number or of a row with another number of fields.
CsvTable read_csv(std::istream& in, const std::string& source);

}  // namespace daedal::io

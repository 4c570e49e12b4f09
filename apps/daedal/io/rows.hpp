// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The rows of a solution in the format that the name of a file asks for: comma-separated values,
/// one JSON document, or a MAT-file as Modelica tools write trajectories.

#include <daedal/model.hpp>
#include <daedal/solution.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace daedal::io {

enum class RowsFormat { csv, json, mat };

/// By the extension of a file: .csv, .json or .mat. Names without one are comma-separated values.
/// Throws OptionError for any other.
RowsFormat rows_format(const std::string& path);

void write_rows(std::ostream& out, const Solution& solution,
                const std::vector<std::size_t>& columns, RowsFormat format);

/// What rows may hold beside variables: parameters and derivatives, or, of a boundary value
/// problem, the parameters that it finds.
enum class Columns { initial, boundary };

/// Throws OptionError{unknown_name} for a glob that no column of a run of this model can match,
/// before the run.
void check_globs(const std::vector<std::string>& globs, const Model& model, Columns columns);

}  // namespace daedal::io

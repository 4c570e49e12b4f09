// SPDX-License-Identifier: BSD-3-Clause
#include "io/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <filesystem>

#include "io/csv.hpp"
#include "io/json.hpp"

namespace daedal::io {

namespace {

using nlohmann::ordered_json;

void write_json(std::ostream& out, const Solution& solution,
                const std::vector<std::size_t>& columns) {
  ordered_json json = document();
  json["model"] = solution.model_name;
  json["status"] = to_string(solution.status);
  ordered_json& rows = json["columns"] = ordered_json::object();
  ordered_json& times = rows["time"] = ordered_json::array();
  for (const double time : solution.times) times.push_back(number(time));
  for (const std::size_t column : columns) {
    ordered_json values = ordered_json::array();
    for (std::size_t i = 0; i < solution.n_rows(); ++i) {
      values.push_back(number(solution.row(i)[column]));
    }
    rows[solution.names[column]] = std::move(values);
  }
  out << json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

/// Matrices of a MAT-file of level 4, little-endian, column by column.
class MatWriter {
 public:
  explicit MatWriter(std::ostream& out) : out_(out) {}

  void doubles(std::string_view name, std::size_t rows, const std::vector<double>& values) {
    head(0, name, rows, values.size() / rows);
    write(values.data(), values.size() * sizeof(double));
  }
  void integers(std::string_view name, std::size_t rows, const std::vector<std::int32_t>& values) {
    head(20, name, rows, values.size() / rows);
    write(values.data(), values.size() * sizeof(std::int32_t));
  }
  /// Every text is a column.
  void texts(std::string_view name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::string all;
    for (const std::string& text : texts) all += text + std::string(longest - text.size(), ' ');
    head(51, name, longest, texts.size());
    write(all.data(), all.size());
  }
  /// Every text is a row.
  void rows_of_texts(std::string_view name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::string all;
    for (std::size_t i = 0; i < longest; ++i) {
      for (const std::string& text : texts) all += i < text.size() ? text[i] : ' ';
    }
    head(51, name, texts.size(), longest);
    write(all.data(), all.size());
  }

 private:
  /// `type` is MOPT: the digits of byte order, zero, precision and kind.
  void head(std::int32_t type, std::string_view name, std::size_t rows, std::size_t columns) {
    const std::int32_t words[5] = {type, static_cast<std::int32_t>(rows),
                                   static_cast<std::int32_t>(columns), 0,
                                   static_cast<std::int32_t>(name.size() + 1)};
    write(words, sizeof words);
    write(name.data(), name.size());
    out_.put('\0');
  }
  void write(const void* data, std::size_t size) {
    out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }

  std::ostream& out_;
};

/// A trajectory as Dymola and OpenModelica write it ("binTrans"): data_2 has a column for each
/// point of time, dataInfo says which row of it belongs to a name. There are no parameters: data_1
/// has the ends of time alone.
void write_mat(std::ostream& out, const Solution& solution,
               const std::vector<std::size_t>& columns) {
  MatWriter writer(out);
  writer.rows_of_texts("Aclass", {"Atrajectory", "1.1", "", "binTrans"});
  std::vector<std::string> names{"time"};
  std::vector<std::int32_t> info{0, 1, 0, -1};
  for (const std::size_t column : columns) {
    names.push_back(solution.names[column]);
    info.insert(info.end(), {2, static_cast<std::int32_t>(names.size()), 0, -1});
  }
  writer.texts("name", names);
  writer.texts("description", std::vector<std::string>(names.size()));
  writer.integers("dataInfo", 4, info);
  writer.doubles("data_1", 1, {solution.times.front(), solution.times.back()});
  std::vector<double> data;
  data.reserve(solution.n_rows() * names.size());
  for (std::size_t i = 0; i < solution.n_rows(); ++i) {
    data.push_back(solution.times[i]);
    for (const std::size_t column : columns) data.push_back(solution.row(i)[column]);
  }
  writer.doubles("data_2", names.size(), data);
}

}  // namespace

RowsFormat rows_format(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty() || extension == ".csv") return RowsFormat::csv;
  if (extension == ".json") return RowsFormat::json;
  if (extension == ".mat") return RowsFormat::mat;
  throw OptionError(ErrorCode::invalid_option,
                    fmt::format("Rows are written as .csv, .json or .mat; the name '{}' ends in "
                                "'{}'.",
                                path, extension));
}

void write_rows(std::ostream& out, const Solution& solution,
                const std::vector<std::size_t>& columns, RowsFormat format) {
  switch (format) {
    case RowsFormat::csv:
      out << csv_header(solution, columns);
      write_csv_rows(solution, columns, 0, [&out](std::string_view rows) { out << rows; });
      return;
    case RowsFormat::json:
      return write_json(out, solution, columns);
    case RowsFormat::mat:
      return write_mat(out, solution, columns);
  }
}

void check_globs(const std::vector<std::string>& globs, const Model& model, Columns columns) {
  std::vector<std::string> names, further;
  for (const Variable& variable : model.variables()) {
    names.push_back(variable.name);
    further.push_back(fmt::format("der({})", variable.name));
  }
  for (const Variable& variable : model.discretes()) names.push_back(variable.name);
  const bool is_boundary = columns == Columns::boundary;
  if (is_boundary) further.clear();
  for (const Parameter& parameter : model.parameters()) {
    if (!is_boundary || !parameter.fixed) further.push_back(parameter.name);
  }
  (void)select_columns(names, globs, further);
}

}  // namespace daedal::io

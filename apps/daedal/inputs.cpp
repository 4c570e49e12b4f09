// SPDX-License-Identifier: BSD-3-Clause
#include "inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/inputs.hpp>
#include <daedal/nearest_name.hpp>
#include <filesystem>
#include <fstream>

#include "io/csv_table.hpp"

namespace daedal::app {

namespace {

/// The run may begin and end this share of the table's length outside of it, as the library allows.
constexpr double table_slack = 1e-9;

Interpolation interpolation_of(const std::string& name) {
  if (name == "linear") return Interpolation::linear;
  if (name == "hold") return Interpolation::hold;
  if (name == "smooth") return Interpolation::smooth;
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("There is no interpolation '{}': use linear, hold or smooth.", name));
}

/// A file of inputs, and where in it things stand.
class InputFile {
 public:
  InputFile(std::string path, Interpolation interpolation)
      : path_(std::move(path)), interpolation_(interpolation) {
    std::ifstream in(path_, std::ios::binary);
    if (!in || std::filesystem::is_directory(path_)) {
      throw OptionError(
          ErrorCode::file_not_readable,
          fmt::format("The inputs '{}' are neither of the form name=value nor a file that can be "
                      "read.",
                      path_));
    }
    table_ = io::read_csv(in, path_);
    check();
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return table_.names; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t time_column() const { return time_; }

  [[nodiscard]] InputTable column(std::size_t c) const {
    InputTable table{.interpolation = interpolation_};
    for (std::size_t row = 0; row < table_.n_rows(); ++row) {
      table.times.push_back(at(row, time_));
      table.values.push_back(at(row, c));
    }
    return table;
  }

  void check_covers(const TimeSpan& span) const {
    const std::size_t last = table_.n_rows() - 1;
    const double begin = at(0, time_);
    const double end = at(last, time_);
    const double slack = table_slack * (end - begin);
    if (span.start < begin - slack) {
      fail(0, time_,
           fmt::format("The run begins at {:.12g}, but the inputs of this file at {:.12g}.",
                       span.start, begin));
    }
    if (interpolation_ != Interpolation::hold && span.stop > end + slack) {
      fail(last, time_,
           fmt::format("The run ends at {:.12g}, but the inputs of this file at {:.12g}.",
                       span.stop, end));
    }
  }

  [[noreturn]] void fail_header(const std::string& text) const {
    throw OptionError(ErrorCode::file_not_readable, text, {path_, 1, 1});
  }

 private:
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return table_.values[row * table_.names.size() + column];
  }

  /// The column of the line in which a field begins.
  [[nodiscard]] int place(std::size_t line, std::size_t field) const {
    std::ifstream in(path_);
    std::string text;
    for (std::size_t i = 0; i < line; ++i) std::getline(in, text);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < field; ++i) {
      const std::size_t comma = text.find(',', begin);
      if (comma == std::string::npos) break;
      begin = comma + 1;
    }
    return static_cast<int>(begin) + 1;
  }

  [[noreturn]] void fail(std::size_t row, std::size_t column, const std::string& text) const {
    const std::size_t line = table_.lines[row];
    throw OptionError(ErrorCode::file_not_readable, text,
                      {path_, static_cast<int>(line), place(line, column)});
  }

  void check() {
    const auto found = std::ranges::find(table_.names, "time");
    if (found == table_.names.end()) {
      fail_header(fmt::format("A file of inputs needs a column 'time'; this one has {}.",
                              fmt::join(table_.names, ", ")));
    }
    time_ = static_cast<std::size_t>(found - table_.names.begin());
    for (std::size_t c = 0; c < table_.names.size(); ++c) {
      if (std::ranges::count(table_.names, table_.names[c]) > 1) {
        fail_header(fmt::format("The file has two columns '{}'.", table_.names[c]));
      }
    }
    if (table_.n_rows() == 0) fail_header("The file has no rows below its names.");
    for (std::size_t row = 0; row < table_.n_rows(); ++row) {
      for (std::size_t c = 0; c < table_.names.size(); ++c) {
        if (std::isfinite(at(row, c))) continue;
        fail(row, c, fmt::format("The value of '{}' is not a finite number.", table_.names[c]));
      }
      if (row > 0 && at(row, time_) < at(row - 1, time_)) {
        fail(row, time_,
             fmt::format("The time {:.12g} comes after {:.12g} on the line before: times must "
                         "ascend.",
                         at(row, time_), at(row - 1, time_)));
      }
      if (row > 1 && at(row, time_) == at(row - 2, time_)) {
        fail(row, time_,
             fmt::format("The time {:.12g} stands here for the third time: two rows are a jump "
                         "from the one to the other.",
                         at(row, time_)));
      }
    }
  }

  std::string path_;
  Interpolation interpolation_;
  io::CsvTable table_;
  std::size_t time_ = 0;
};

/// A number, or else an expression.
InputValue value_of(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with('+') ? 1 : 0);
  double value = 0.0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (!digits.empty() && error == std::errc{} && rest == end) return value;
  return text;
}

/// A value may replace a column of a file, and the other way round.
void give(Inputs& inputs, const std::string& name, InputValue value) {
  const auto is_table = [](const InputValue& v) { return std::holds_alternative<InputTable>(v); };
  const auto known = inputs.find(name);
  if (known == inputs.end() || is_table(known->second) != is_table(value)) {
    inputs.insert_or_assign(name, std::move(value));
    return;
  }
  throw OptionError(ErrorCode::invalid_option, fmt::format("The input '{}' is given twice.", name));
}

/// name=value, where the name may be quoted; nothing for the path of a file.
bool parse_given(const std::string& text, Inputs& inputs) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || std::filesystem::exists(text)) return false;
  std::string name = text.substr(0, equals);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  if (name.size() > 2 && name.front() == '\'' && name.back() == '\'') {
    name = name.substr(1, name.size() - 2);
  }
  if (name.empty()) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("'{}' is not of the form name=value.", text));
  }
  give(inputs, name, value_of(text.substr(equals + 1)));
  return true;
}

std::vector<std::string> input_names(const Model& model) {
  std::vector<std::string> names;
  for (const ModelInput& input : model.inputs()) names.push_back(model.variable_of(input).name);
  return names;
}

/// The columns of a file that are inputs.
void take_columns(const InputFile& file, const Model& model, Inputs& inputs,
                  std::vector<std::string>& notices) {
  const std::vector<std::string> known = input_names(model);
  std::vector<std::string> others;
  for (std::size_t c = 0; c < file.names().size(); ++c) {
    if (c == file.time_column()) continue;
    if (std::ranges::find(known, file.names()[c]) == known.end()) {
      others.push_back(file.names()[c]);
    } else {
      give(inputs, file.names()[c], file.column(c));
    }
  }
  if (others.size() + 1 == file.names().size()) {
    file.fail_header(fmt::format(
        "No column of this file has the name of an input of '{}'{}.", model.name(),
        known.empty() ? ", which has none" : fmt::format(" ({})", fmt::join(known, ", "))));
  }
  if (!others.empty()) {
    notices.push_back(fmt::format("Columns of '{}' that are no inputs of '{}' are not used: {}.",
                                  file.path(), model.name(), fmt::join(others, ", ")));
  }
}

/// With a file a missing input is most often a misspelt column.
void refuse_missing(const Model& model, const Inputs& inputs, const InputFile& file) {
  for (const ModelInput& input : model.inputs()) {
    const std::string& name = model.variable_of(input).name;
    if (input.default_equation >= 0 || inputs.contains(name)) continue;
    const std::string nearest = nearest_name(name, file.names());
    file.fail_header(
        fmt::format("There is no column '{}' for the input of '{}'; the file has {}{}", name,
                    model.name(), fmt::join(file.names(), ", "),
                    nearest.empty() ? std::string(".") : fmt::format(". Is '{}' meant?", nearest)));
  }
}

}  // namespace

void declare_input_options(CLI::App& command, InputArguments& arguments) {
  command
      .add_option(
          "-i,--input", arguments.texts,
          "Input of the model: name=number, \"name=expression of time\", or a CSV file with "
          "a column 'time' and a column for each input; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--interpolation", arguments.interpolation,
                  "Between the rows of such a file: linear, hold or smooth")
      ->capture_default_str();
}

Model give_inputs(const InputArguments& arguments, const Model& model, const TimeSpan& span,
                  std::vector<std::string>& notices) {
  const Interpolation interpolation = interpolation_of(arguments.interpolation);
  Inputs inputs;
  std::vector<InputFile> files;
  for (const std::string& text : arguments.texts) {
    if (parse_given(text, inputs)) continue;
    files.emplace_back(text, interpolation);
    take_columns(files.back(), model, inputs, notices);
    files.back().check_covers(span);
  }
  if (!files.empty()) refuse_missing(model, inputs, files.front());
  return with_inputs(model, inputs);
}

}  // namespace daedal::app

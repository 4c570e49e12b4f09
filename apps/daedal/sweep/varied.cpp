// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/varied.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <filesystem>
#include <fstream>

#include "io/csv_table.hpp"
#include "run_options.hpp"

namespace daedal::app {

namespace {

/// A range with more values than this is refused as a mistake.
constexpr double most_grid_values = 1e7;
/// The end of a range belongs to it if the last step misses it by no more than this share.
constexpr double same_value = 1e-9;

[[noreturn]] void refuse(const std::string& text) {
  throw OptionError(ErrorCode::invalid_option, text);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// from:step:to
std::vector<double> range(const Assignment& given) {
  const auto parts = split(given.value, ':');
  if (parts.size() != 3) {
    refuse(fmt::format("'{}' is not a range: write from:step:to, as in a=0:0.1:1.", given.text));
  }
  const double from = parse_number(parts[0], given.text);
  const double step = parse_number(parts[1], given.text);
  const double to = parse_number(parts[2], given.text);
  const double n = (to - from) / step;
  if (!std::isfinite(n) || n < 0.0) {
    refuse(fmt::format("'{}' never arrives: the step must lead from {:g} to {:g}.", given.text,
                       from, to));
  }
  if (n > most_grid_values) {
    refuse(fmt::format("'{}' has more than {:g} values.", given.text, most_grid_values));
  }
  std::vector<double> values;
  const auto last = static_cast<std::int64_t>(std::floor(n + same_value));
  for (std::int64_t i = 0; i <= last; ++i) {
    values.push_back(from + static_cast<double>(i) * step);
  }
  if (std::abs(n - static_cast<double>(last)) <= same_value) values.back() = to;
  return values;
}

bool has_name(const auto& list, const std::string& name) {
  return std::ranges::any_of(list, [&](const auto& item) { return item.name == name; });
}

/// Whether a name stands for a start value. Throws OptionError where it stands for nothing.
bool names_start_value(const Model& model, const std::string& name, const std::string& source) {
  if (has_name(model.parameters(), name)) return false;
  for (const ModelInput& input : model.inputs()) {
    if (model.variable_of(input).name != name) continue;
    refuse(
        fmt::format("'{0}'{1} is an input of '{2}', not a parameter. To vary it, let it follow a "
                    "parameter of the model: -i {0}=NAME.",
                    name, source, model.name()));
  }
  if (has_name(model.variables(), name) || has_name(model.discretes(), name)) return true;
  std::vector<std::string> known;
  for (const Parameter& parameter : model.parameters()) known.push_back(parameter.name);
  for (const Variable& variable : model.variables()) known.push_back(variable.name);
  const std::string nearest = nearest_name(name, known);
  throw OptionError(
      ErrorCode::unknown_name,
      fmt::format(
          "Model '{}' has no parameter and no variable '{}'{}{}", model.name(), name, source,
          nearest.empty() ? std::string(".") : fmt::format("; did you mean '{}'?", nearest)));
}

RandomAxis random_axis(const std::string& text, const Model& model) {
  const auto tilde = text.find('~');
  if (tilde == std::string::npos || tilde == 0) {
    refuse(
        fmt::format("'{}' is not of the form name~distribution, as in \"m~normal(1,0.1)\".", text));
  }
  const auto trimmed = [](std::string word) {
    const auto first = word.find_first_not_of(' ');
    if (first == std::string::npos) return std::string();
    return word.substr(first, word.find_last_not_of(' ') + 1 - first);
  };
  RandomAxis axis{.name = trimmed(text.substr(0, tilde)),
                  .distribution = trimmed(text.substr(tilde + 1))};
  axis.is_start_value = names_start_value(model, axis.name, "");
  return axis;
}

Members read_file(const std::string& path, const Model& model) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw OptionError(ErrorCode::file_not_readable,
                      fmt::format("The file '{}' cannot be read.", path));
  }
  const io::CsvTable table = io::read_csv(in, path);
  Members members{.count = table.n_rows()};
  if (members.count == 0) refuse(fmt::format("'{}' has no rows below its names.", path));
  std::vector<std::size_t> order;
  for (const bool is_start : {false, true}) {
    for (std::size_t c = 0; c < table.names.size(); ++c) {
      const std::string& name = table.names[c];
      if (std::ranges::count(table.names, name) > 1) {
        refuse(fmt::format("'{}' has two columns '{}'.", path, name));
      }
      if (names_start_value(model, name, fmt::format(", a column of '{}'", path)) != is_start) {
        continue;
      }
      (is_start ? members.start_values : members.parameters).push_back(name);
      order.push_back(c);
    }
  }
  for (std::size_t row = 0; row < members.count; ++row) {
    for (const std::size_t c : order) {
      const double value = table.values[row * table.names.size() + c];
      if (!std::isfinite(value)) {
        throw OptionError(ErrorCode::file_not_readable,
                          fmt::format("The value of '{}' is not a finite number.", table.names[c]),
                          {path, static_cast<int>(table.lines[row]), 1});
      }
      members.values.push_back(value);
    }
  }
  return members;
}

}  // namespace

std::vector<MemberAxis> take_axes(std::vector<std::string>& assignments, bool is_start_value) {
  std::vector<MemberAxis> axes;
  std::erase_if(assignments, [&](const std::string& text) {
    const Assignment given = split_assignment(text);
    const bool is_range = given.value.find(':') != std::string_view::npos;
    if (!is_range && given.value.find(',') == std::string_view::npos) return false;
    MemberAxis axis{.name = given.name, .is_start_value = is_start_value};
    if (is_range) {
      axis.values = range(given);
    } else {
      for (const std::string_view word : split(given.value, ',')) {
        axis.values.push_back(parse_number(word, given.text));
        if (std::isfinite(axis.values.back())) continue;
        refuse(fmt::format("'{}' in '{}' is not a finite number.", word, given.text));
      }
    }
    axes.push_back(std::move(axis));
    return true;
  });
  return axes;
}

Members read_members(std::vector<MemberAxis> axes, const VariedArguments& arguments,
                     const Model& model) {
  if (arguments.random.empty() != (arguments.samples == 0)) {
    refuse(arguments.random.empty() ? "--samples is the number of draws of --random, which is "
                                      "missing."
                                    : "--random needs --samples, the number of draws.");
  }
  Members members = grid(axes);
  if (!arguments.file.empty()) members = product(members, read_file(arguments.file, model));
  if (!arguments.random.empty()) {
    std::vector<RandomAxis> random;
    for (const std::string& text : arguments.random) random.push_back(random_axis(text, model));
    members = product(members, random_members(random, arguments.samples, arguments.seed));
  }
  if (members.n_columns() == 0) {
    refuse(
        "A sweep needs something that changes: -p a=0:0.1:1, -p b=1,2,5, --members FILE or "
        "--random \"m~normal(1,0.1)\" --samples N.");
  }
  return members;
}

}  // namespace daedal::app

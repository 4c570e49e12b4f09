// SPDX-License-Identifier: BSD-3-Clause
#include "model_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/modelica.hpp>
#include <daedal/nearest_name.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "run_options.hpp"

namespace daedal::app {

namespace {

constexpr const char* standard_input = "<stdin>";
/// Longer lines of a model are shown only so far around the column of a message.
constexpr std::size_t widest = 100;

/// What standard input gave: it cannot be read twice.
std::string& text_of_input() {
  static std::string text;
  return text;
}

bool find_line(std::istream& text, int number, std::string& line) {
  for (int i = 0; i < number; ++i)
    if (!std::getline(text, line)) return false;
  return true;
}

/// Where each character of a UTF-8 text begins, and its end: columns count characters.
std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) starts.push_back(i);
  starts.push_back(text.size());
  return starts;
}

/// Refuses a path where nothing is, with the model text beside it whose name is nearest.
void check_exists(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) || error) return;
  std::vector<std::string> names;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto extension = entry.path().extension();
    if (extension == ".mo" || extension == ".bmo") {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  const std::string nearest = nearest_name(path.filename().string(), names);
  throw OptionError(ErrorCode::file_not_readable,
                    fmt::format("The file '{}' cannot be read: it does not exist.{}", path.string(),
                                nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)),
                    {.file = path.string()});
}

/// Without those that have become constants of the model, with the value that was given.
void drop_taken(const Model& model, Overrides& parameters) {
  std::vector<double> values;
  try {
    values = model.parameter_values();
  } catch (const ModelError&) {
    return;  // one without a value: the run says so
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto given = parameters.find(model.parameters()[i].name);
    if (given == parameters.end() || !model.parameters()[i].constant) continue;
    if (given->second == values[i]) parameters.erase(given);
  }
}

}  // namespace

LoadedModel read_model(const std::string& path, const std::vector<std::string>& assignments) {
  if (path != "-" && std::filesystem::is_directory(path)) {
    throw OptionError(ErrorCode::file_not_readable,
                      fmt::format("'{}' is a folder, not a model text.", path));
  }
  if (path != "-") check_exists(path);
  std::vector<Diagnostic> found;
  const ParseOptions options{.parameters = parse_overrides(assignments), .warnings = &found};
  const auto load = [&] {
    if (path != "-") return load_model(path, options);
    if (text_of_input().empty()) {
      text_of_input() = std::string(std::istreambuf_iterator<char>(std::cin), {});
    }
    return parse_model(text_of_input(), standard_input, options);
  };
  LoadedModel loaded{load(), {}, options.parameters};
  if (!loaded.parameters.empty()) drop_taken(loaded.model, loaded.parameters);
  for (const Diagnostic& warning : found)
    loaded.warnings.push_back(fmt::format("{}: {}", to_string(warning.where), warning.message));
  return loaded;
}

std::string model_text(const std::string& path) {
  if (path == "-") return text_of_input();
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string excerpt(const SourcePosition& where) {
  if (where.line < 1 || where.column < 1) return {};
  std::string line;
  std::istringstream input(text_of_input());
  std::ifstream file(where.file);
  if (!find_line(where.file == standard_input ? static_cast<std::istream&>(input) : file,
                 where.line, line))
    return {};
  for (char& c : line)
    if (c == '\t' || c == '\r') c = ' ';
  const std::vector<std::size_t> starts = character_starts(line);
  const std::size_t length = starts.size() - 1;
  const auto column = static_cast<std::size_t>(where.column) - 1;
  if (column > length) return {};
  const std::size_t first = length > widest && column > widest / 2 ? column - widest / 2 : 0;
  const std::size_t last = std::min(length, first + widest);
  const std::string_view shown =
      std::string_view(line).substr(starts[first], starts[last] - starts[first]);
  const std::string_view cut = first > 0 ? "..." : "";
  return fmt::format("{:6} | {}{}{}\n       | {:>{}}\n", where.line, cut, shown,
                     last < length ? "..." : "", "^", cut.size() + column - first + 1);
}

}  // namespace daedal::app

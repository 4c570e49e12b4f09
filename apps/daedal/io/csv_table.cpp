// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <daedal/error.hpp>
#include <iterator>
#include <string_view>

namespace daedal::io {

namespace {

[[noreturn]] void fail(const std::string& source, std::size_t line, const std::string& text) {
  throw OptionError(ErrorCode::file_not_readable, fmt::format("{}:{}: {}", source, line, text));
}

/// Reads field by field; quoted fields may hold commas, quotes and line ends.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }

  std::vector<std::string> record() {
    std::vector<std::string> fields;
    do {
      fields.push_back(field());
    } while (!at_end() && text_[at_] == ',' && ++at_ > 0);
    if (!at_end() && text_[at_] == '\r') ++at_;
    if (!at_end() && text_[at_] == '\n') ++at_;
    ++line_;
    return fields;
  }

 private:
  std::string field() {
    std::string value;
    if (at_end() || text_[at_] != '"') {
      while (!at_end() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
        value += text_[at_++];
      }
      const auto first = value.find_first_not_of(" \t");
      if (first == std::string::npos) return {};
      return value.substr(first, value.find_last_not_of(" \t") + 1 - first);
    }
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 >= text_.size() || text_[at_ + 1] != '"')) {
        ++at_;
        break;
      }
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++line_;
      value += text_[at_];
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

CsvTable read_csv(std::istream& in, const std::string& source) {
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const std::string_view content = text;
  Reader reader(content.substr(content.starts_with(byte_order_mark) ? 3 : 0));
  CsvTable table;
  if (reader.at_end()) fail(source, 1, "The file is empty.");
  table.names = reader.record();
  while (!reader.at_end()) {
    const std::size_t line = reader.line();
    const std::vector<std::string> fields = reader.record();
    if (fields.size() == 1 && fields.front().empty()) continue;
    if (fields.size() != table.names.size()) {
      fail(source, line,
           fmt::format("{} fields, but {} columns.", fields.size(), table.names.size()));
    }
    table.lines.push_back(line);
    for (const std::string& field : fields) {
      double value = 0.0;
      const char* end = field.data() + field.size();
      const char* begin = field.data() + (field.starts_with('+') ? 1 : 0);
      const auto [stop, error] = std::from_chars(begin, end, value);
      if (error != std::errc() || stop != end) {
        fail(source, line,
             fmt::format(
                 "'{}' is not a number{}.", field,
                 field.find(';') == std::string::npos ? "" : " (columns are separated by commas)"));
      }
      table.values.push_back(value);
    }
  }
  return table;
}

}  // namespace daedal::io

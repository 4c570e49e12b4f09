// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The messages about one model text: collected, limited in number, thrown together at the end.

#include <cstdint>
#include <daedal/error.hpp>
#include <string>
#include <vector>

namespace daedal::modelica {

/// A place in the text, counted from 1; columns count characters, not bytes.
struct Position {
  std::int32_t line = 0;
  std::int32_t column = 0;
  bool operator==(const Position&) const = default;
};

/// Thrown after a message was recorded, caught where work can go on (the next `;`).
struct Abandon {};

class Diagnostics {
 public:
  Diagnostics(std::string file, int limit, std::vector<Diagnostic>* warnings)
      : file_(std::move(file)), limit_(limit), warnings_(warnings) {}

  /// Records a message. Throws ParseError with all of them when the limit is reached.
  void report(ErrorCode code, Position where, std::string message);
  /// Records a message and abandons the construct at hand.
  [[noreturn]] void fail(ErrorCode code, Position where, std::string message);
  void warn(ErrorCode code, Position where, std::string message);

  [[nodiscard]] SourcePosition source(Position where) const {
    return {file_, where.line, where.column};
  }
  [[nodiscard]] std::size_t count() const { return errors_.size(); }
  /// Throws ParseError if there was any message; they are sorted by position.
  void throw_if_any() const;

 private:
  std::string file_;
  int limit_;
  std::vector<Diagnostic>* warnings_;
  std::vector<Diagnostic> errors_;
};

}  // namespace daedal::modelica

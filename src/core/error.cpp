// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/error.hpp>
#include <utility>

namespace daedal {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::syntax:
      return "syntax";
    case ErrorCode::unknown_name:
      return "unknown-name";
    case ErrorCode::duplicate_name:
      return "duplicate-name";
    case ErrorCode::type_mismatch:
      return "type-mismatch";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::too_deep:
      return "too-deep";
    case ErrorCode::unbalanced:
      return "unbalanced";
    case ErrorCode::structurally_singular:
      return "structurally-singular";
    case ErrorCode::invalid_value:
      return "invalid-value";
    case ErrorCode::not_recognized:
      return "not-recognized";
    case ErrorCode::unknown_method:
      return "unknown-method";
    case ErrorCode::illegal_combination:
      return "illegal-combination";
    case ErrorCode::invalid_option:
      return "invalid-option";
    case ErrorCode::file_not_readable:
      return "file-not-readable";
    case ErrorCode::file_not_writable:
      return "file-not-writable";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

std::string to_string(const SourcePosition& where) {
  if (!where.known()) return where.file;
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

Error::Error(ErrorCode code, const std::string& message, SourcePosition where)
    : std::runtime_error(message), code_(code), where_(std::move(where)) {}

Error& Error::with_equations(std::vector<std::string> names) {
  equations_ = std::move(names);
  return *this;
}

Error& Error::with_variables(std::vector<std::string> names) {
  variables_ = std::move(names);
  return *this;
}

namespace {

Diagnostic first_or_unknown(const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.empty()) return {ErrorCode::syntax, {}, "The model text could not be read."};
  return diagnostics.front();
}

}  // namespace

ParseError::ParseError(std::vector<Diagnostic> diagnostics)
    : Error(first_or_unknown(diagnostics).code, first_or_unknown(diagnostics).message,
            first_or_unknown(diagnostics).where),
      diagnostics_(std::move(diagnostics)) {}

}  // namespace daedal

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Errors of misuse and of wrong models. Numerical outcomes of a run are a `Status` in the
/// `Solution`, which keeps what was computed; memory that runs out is a std::bad_alloc.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// A place in a model text; line and column count from 1, 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;

  [[nodiscard]] bool known() const { return line > 0; }
  bool operator==(const SourcePosition&) const = default;
};

enum class ErrorCode {
  syntax,                 ///< the text is not a model
  unknown_name,           ///< a name that nothing declares
  duplicate_name,         ///< one name, two declarations
  type_mismatch,          ///< a Boolean where a number is needed, arrays of different sizes, ...
  unsupported,            ///< a construct of the language that Daedal does not take (yet)
  too_deep,               ///< nesting beyond the limit
  unbalanced,             ///< more equations than unknowns, or fewer
  structurally_singular,  ///< balanced, but some equations can never determine their unknowns
  invalid_value,          ///< a parameter or start value that is not a finite number in its range
  not_recognized,         ///< the model has not the shape that a method needs
  unknown_method,         ///< no such method or integrator
  illegal_combination,    ///< a method and an integrator that do not go together
  invalid_option,         ///< an option outside its range
  file_not_readable,
  file_not_writable,
  internal,  ///< a broken promise inside Daedal: please report it
};

/// The kebab-case name of a code, as the JSON documents print it: "unknown-name".
DAEDAL_EXPORT std::string_view to_string(ErrorCode code);

/// The base of every exception Daedal throws: a code, the names concerned, and a full sentence
/// that says what is wrong, where, and what to try.
class DAEDAL_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, SourcePosition where = {});

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const SourcePosition& where() const noexcept { return where_; }
  /// The equations and variables the message is about, by name.
  [[nodiscard]] const std::vector<std::string>& equations() const noexcept { return equations_; }
  [[nodiscard]] const std::vector<std::string>& variables() const noexcept { return variables_; }

  Error& with_equations(std::vector<std::string> names);
  Error& with_variables(std::vector<std::string> names);

 private:
  ErrorCode code_;
  SourcePosition where_;
  std::vector<std::string> equations_;
  std::vector<std::string> variables_;
};

/// The model is wrong: unbalanced, contradictory, singular, of a shape that cannot be solved.
class DAEDAL_EXPORT ModelError : public Error {
 public:
  using Error::Error;
};

/// One message of the parser.
struct Diagnostic {
  ErrorCode code = ErrorCode::syntax;
  SourcePosition where;
  std::string message;
};

/// The model text is wrong. Holds every message that the parser found, the first as what().
class DAEDAL_EXPORT ParseError : public Error {
 public:
  explicit ParseError(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// An option, a method's name or a combination of them is wrong.
class DAEDAL_EXPORT OptionError : public Error {
 public:
  using Error::Error;
};

/// "file:line:column", as far as it is known.
DAEDAL_EXPORT std::string to_string(const SourcePosition& where);

}  // namespace daedal

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The words of a model text.

#include <cstdint>
#include <string_view>

#include "modelica/diagnostics.hpp"

namespace daedal::modelica {

enum class TokenKind : std::uint8_t {
  end_of_text,
  identifier,
  quoted_identifier,
  integer,
  real,
  string,
  unset,  ///< #EMPTY#: an exporting tool's word for a field that has no value
  // punctuation
  plus,
  minus,
  times,
  divide,
  power,
  dot_plus,
  dot_minus,
  dot_times,
  dot_divide,
  dot_power,
  equal_sign,
  assign,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  comma,
  semicolon,
  colon,
  dot,
  // keywords
  kw_algorithm,
  kw_and,
  kw_annotation,
  kw_block,
  kw_break,
  kw_class,
  kw_connector,
  kw_constant,
  kw_constrainedby,
  kw_discrete,
  kw_each,
  kw_else,
  kw_elseif,
  kw_elsewhen,
  kw_encapsulated,
  kw_end,
  kw_enumeration,
  kw_equation,
  kw_expandable,
  kw_extends,
  kw_external,
  kw_false,
  kw_final,
  kw_flow,
  kw_for,
  kw_function,
  kw_if,
  kw_import,
  kw_impure,
  kw_in,
  kw_initial,
  kw_inner,
  kw_input,
  kw_loop,
  kw_model,
  kw_not,
  kw_operator,
  kw_or,
  kw_outer,
  kw_output,
  kw_package,
  kw_parameter,
  kw_partial,
  kw_protected,
  kw_public,
  kw_pure,
  kw_record,
  kw_redeclare,
  kw_replaceable,
  kw_return,
  kw_stream,
  kw_then,
  kw_true,
  kw_type,
  kw_when,
  kw_while,
  kw_within,
};

struct Token {
  TokenKind kind = TokenKind::end_of_text;
  Position where;
  std::uint32_t offset = 0;  ///< bytes from the start of the text
  std::uint32_t length = 0;
};

/// How a kind of token is named in a message: "';'", "'end'", "a name", ...
std::string_view spelling(TokenKind kind);

}  // namespace daedal::modelica

// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace daedal::modelica {

namespace {

struct Spelling {
  TokenKind kind;
  std::string_view text;
};

constexpr std::array keywords = {
    Spelling{TokenKind::kw_algorithm, "algorithm"},
    Spelling{TokenKind::kw_and, "and"},
    Spelling{TokenKind::kw_annotation, "annotation"},
    Spelling{TokenKind::kw_block, "block"},
    Spelling{TokenKind::kw_break, "break"},
    Spelling{TokenKind::kw_class, "class"},
    Spelling{TokenKind::kw_connector, "connector"},
    Spelling{TokenKind::kw_constant, "constant"},
    Spelling{TokenKind::kw_constrainedby, "constrainedby"},
    Spelling{TokenKind::kw_discrete, "discrete"},
    Spelling{TokenKind::kw_each, "each"},
    Spelling{TokenKind::kw_else, "else"},
    Spelling{TokenKind::kw_elseif, "elseif"},
    Spelling{TokenKind::kw_elsewhen, "elsewhen"},
    Spelling{TokenKind::kw_encapsulated, "encapsulated"},
    Spelling{TokenKind::kw_end, "end"},
    Spelling{TokenKind::kw_enumeration, "enumeration"},
    Spelling{TokenKind::kw_equation, "equation"},
    Spelling{TokenKind::kw_expandable, "expandable"},
    Spelling{TokenKind::kw_extends, "extends"},
    Spelling{TokenKind::kw_external, "external"},
    Spelling{TokenKind::kw_false, "false"},
    Spelling{TokenKind::kw_final, "final"},
    Spelling{TokenKind::kw_flow, "flow"},
    Spelling{TokenKind::kw_for, "for"},
    Spelling{TokenKind::kw_function, "function"},
    Spelling{TokenKind::kw_if, "if"},
    Spelling{TokenKind::kw_import, "import"},
    Spelling{TokenKind::kw_impure, "impure"},
    Spelling{TokenKind::kw_in, "in"},
    Spelling{TokenKind::kw_initial, "initial"},
    Spelling{TokenKind::kw_inner, "inner"},
    Spelling{TokenKind::kw_input, "input"},
    Spelling{TokenKind::kw_loop, "loop"},
    Spelling{TokenKind::kw_model, "model"},
    Spelling{TokenKind::kw_not, "not"},
    Spelling{TokenKind::kw_operator, "operator"},
    Spelling{TokenKind::kw_or, "or"},
    Spelling{TokenKind::kw_outer, "outer"},
    Spelling{TokenKind::kw_output, "output"},
    Spelling{TokenKind::kw_package, "package"},
    Spelling{TokenKind::kw_parameter, "parameter"},
    Spelling{TokenKind::kw_partial, "partial"},
    Spelling{TokenKind::kw_protected, "protected"},
    Spelling{TokenKind::kw_public, "public"},
    Spelling{TokenKind::kw_pure, "pure"},
    Spelling{TokenKind::kw_record, "record"},
    Spelling{TokenKind::kw_redeclare, "redeclare"},
    Spelling{TokenKind::kw_replaceable, "replaceable"},
    Spelling{TokenKind::kw_return, "return"},
    Spelling{TokenKind::kw_stream, "stream"},
    Spelling{TokenKind::kw_then, "then"},
    Spelling{TokenKind::kw_true, "true"},
    Spelling{TokenKind::kw_type, "type"},
    Spelling{TokenKind::kw_when, "when"},
    Spelling{TokenKind::kw_while, "while"},
    Spelling{TokenKind::kw_within, "within"},
};

// Those with the same first character together, longer spellings before their prefixes.
constexpr std::array punctuation = {
    Spelling{TokenKind::unset, "#EMPTY#"},
    Spelling{TokenKind::left_paren, "("},
    Spelling{TokenKind::right_paren, ")"},
    Spelling{TokenKind::times, "*"},
    Spelling{TokenKind::plus, "+"},
    Spelling{TokenKind::comma, ","},
    Spelling{TokenKind::minus, "-"},
    Spelling{TokenKind::dot_plus, ".+"},
    Spelling{TokenKind::dot_minus, ".-"},
    Spelling{TokenKind::dot_times, ".*"},
    Spelling{TokenKind::dot_divide, "./"},
    Spelling{TokenKind::dot_power, ".^"},
    Spelling{TokenKind::dot, "."},
    Spelling{TokenKind::divide, "/"},
    Spelling{TokenKind::assign, ":="},
    Spelling{TokenKind::colon, ":"},
    Spelling{TokenKind::semicolon, ";"},
    Spelling{TokenKind::less_equal, "<="},
    Spelling{TokenKind::not_equal, "<>"},
    Spelling{TokenKind::less, "<"},
    Spelling{TokenKind::equal, "=="},
    Spelling{TokenKind::equal_sign, "="},
    Spelling{TokenKind::greater_equal, ">="},
    Spelling{TokenKind::greater, ">"},
    Spelling{TokenKind::left_bracket, "["},
    Spelling{TokenKind::right_bracket, "]"},
    Spelling{TokenKind::power, "^"},
    Spelling{TokenKind::left_brace, "{"},
    Spelling{TokenKind::right_brace, "}"},
};

/// Where the spellings with each first character begin in a table that has them together.
template <std::size_t n>
constexpr auto first_by_character(const std::array<Spelling, n>& table) {
  std::array<std::uint8_t, 256> first{};
  first.fill(static_cast<std::uint8_t>(n));
  for (std::size_t i = n; i-- > 0;)
    first[static_cast<unsigned char>(table[i].text.front())] = static_cast<std::uint8_t>(i);
  return first;
}

/// The spelling that `fits` among those with this first character, or null.
template <std::size_t n, class Fits>
const Spelling* find_spelling(const std::array<Spelling, n>& table,
                              const std::array<std::uint8_t, 256>& first, char character,
                              Fits&& fits) {
  for (std::size_t i = first[static_cast<unsigned char>(character)];
       i < n && table[i].text.front() == character; ++i) {
    if (fits(table[i].text)) return &table[i];
  }
  return nullptr;
}

constexpr auto first_keywords = first_by_character(keywords);
constexpr auto first_punctuation = first_by_character(punctuation);

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Bytes of the UTF-8 character at the start of `text`, 0 if it is none (overlong forms and
/// surrogates included).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) >> 6U) == 2U; };
  const unsigned lead = byte(0);
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead < 0xE0U) return continues(1) ? 2 : 0;
  if (lead >= 0xE0U && lead < 0xF0U) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = lead == 0xE0U && byte(1) < 0xA0U;
    const bool surrogate = lead == 0xEDU && byte(1) >= 0xA0U;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0U && lead < 0xF5U) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool outside = (lead == 0xF0U && byte(1) < 0x90U) || (lead == 0xF4U && byte(1) >= 0x90U);
    return outside ? 0 : 4;
  }
  return 0;
}

class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // a byte order mark says nothing in UTF-8
    while (skip_blank(), at_ < text_.size()) read_token();
    start_token();
    finish_token(TokenKind::end_of_text);
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool starts_with(std::string_view word) const {
    return text_.substr(at_, word.size()) == word;
  }

  /// Passes one character of any kind. Invalid bytes are reported once and passed singly.
  void advance() {
    if (static_cast<unsigned char>(text_[at_] - 1) < 0x7FU) {  // ASCII, but for NUL
      const bool new_line = text_[at_++] == '\n';
      column_ = new_line ? 1 : column_ + 1;
      line_ += new_line ? 1 : 0;
      return;
    }
    const std::string_view rest = text_.substr(at_);
    std::size_t length = character_length(rest);
    if (length == 0) {
      report_bad_byte(fmt::format("The byte 0x{:02X} is not valid UTF-8 text.",
                                  static_cast<unsigned>(static_cast<unsigned char>(rest[0]))));
      length = 1;
    } else if (rest[0] == '\0') {
      report_bad_byte("The text holds a NUL byte: is this a binary file?");
    }
    at_ += length;
    ++column_;
  }

  void report_bad_byte(std::string message) {
    if (!std::exchange(bad_bytes_reported_, true)) {
      diagnostics_.report(ErrorCode::syntax, {line_, column_}, std::move(message));
    }
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      if (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
        advance();
      } else if (peek() != '/') {
        return;
      } else if (starts_with("//")) {
        while (at_ < text_.size() && peek() != '\n') advance();
      } else if (starts_with("/*")) {
        skip_block_comment();
      } else {
        return;
      }
    }
  }

  void skip_block_comment() {
    const Position opened{line_, column_};
    advance();
    advance();
    while (at_ < text_.size() && !starts_with("*/")) advance();
    if (at_ >= text_.size()) {
      diagnostics_.report(ErrorCode::syntax, opened, "This comment has no end: '*/' is missing.");
      return;
    }
    advance();
    advance();
  }

  void start_token() {
    token_.where = {line_, column_};
    token_.offset = static_cast<std::uint32_t>(at_);
  }
  void finish_token(TokenKind kind) {
    token_.kind = kind;
    token_.length = static_cast<std::uint32_t>(at_) - token_.offset;
    tokens_.push_back(token_);
  }
  [[nodiscard]] std::string_view token_text() const {
    return text_.substr(token_.offset, at_ - token_.offset);
  }

  void read_token() {
    start_token();
    if (is_letter(peek())) return read_word();
    if (is_digit(peek())) return read_number();
    if (peek() == '"') return read_quoted(TokenKind::string, '"', "This string has no end");
    if (peek() == '\'') {
      return read_quoted(TokenKind::quoted_identifier, '\'', "This quoted name has no end");
    }
    const Spelling* sign =
        find_spelling(punctuation, first_punctuation, peek(),
                      [&](std::string_view text) { return text.size() == 1 || starts_with(text); });
    if (sign == nullptr) return refuse_character();
    for (std::size_t i = 0; i < sign->text.size(); ++i) advance();
    finish_token(sign->kind);
  }

  void refuse_character() {
    constexpr std::string_view gap = "#UNKNOWN STATEMENT#";
    if (starts_with(gap)) {
      for (std::size_t i = 0; i < gap.size(); ++i) advance();
      diagnostics_.report(ErrorCode::unsupported, token_.where,
                          "The tool that exported this text could not write the statement here: "
                          "what it did is not known.");
      return finish_token(TokenKind::identifier);
    }
    const std::size_t reported = diagnostics_.count();
    advance();
    if (diagnostics_.count() > reported || token_text()[0] == '\0' ||
        character_length(token_text()) == 0) {
      return;
    }
    diagnostics_.report(
        ErrorCode::syntax, token_.where,
        fmt::format("The character '{}' has no meaning in a model text.", token_text()));
  }

  void read_word() {
    while (is_letter(peek()) || is_digit(peek())) advance();
    const std::string_view word = token_text();
    const Spelling* keyword = find_spelling(keywords, first_keywords, word.front(),
                                            [&](std::string_view text) { return text == word; });
    finish_token(keyword != nullptr ? keyword->kind : TokenKind::identifier);
  }

  void read_number() {
    TokenKind kind = TokenKind::integer;
    while (is_digit(peek())) advance();
    // `1.*x` is 1 .* x: a point belongs to the number unless it begins an operator.
    const bool point_is_operator =
        peek(1) == '+' || peek(1) == '-' || peek(1) == '*' || peek(1) == '/' || peek(1) == '^';
    if (peek() == '.' && !point_is_operator) {
      kind = TokenKind::real;
      advance();
      while (is_digit(peek())) advance();
    }
    const bool signed_exponent = (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2));
    if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || signed_exponent)) {
      kind = TokenKind::real;
      advance();
      advance();
      while (is_digit(peek())) advance();
    }
    if (is_letter(peek())) {
      const std::string number(token_text());
      const Position where{line_, column_};
      const std::size_t begin = at_;
      while (is_letter(peek()) || is_digit(peek())) advance();
      const std::string word(text_.substr(begin, at_ - begin));
      diagnostics_.report(
          ErrorCode::syntax, where,
          fmt::format("A number must not run into a name: expected an operator between '{}' and "
                      "'{}', as in {}*{}.",
                      number, word, number, word));
    }
    finish_token(kind);
  }

  /// Some tools write a subscript of a quoted name with its own quotes, 'x['i']': the quote behind
  /// an open bracket begins a name inside the name. False: no name follows on the line.
  bool skip_inner_name() {
    std::size_t length = 1;
    for (; at_ + length < text_.size() && peek(length) != '\''; ++length) {
      if (peek(length) == '\n') return false;
      if (peek(length) == '\\') ++length;
    }
    const char behind = at_ + length + 1 < text_.size() ? peek(length + 1) : '\0';
    if (std::string_view("],.) +-*/").find(behind) == std::string_view::npos) return false;
    for (std::size_t i = 0; i <= length; ++i) advance();
    return true;
  }

  void read_quoted(TokenKind kind, char quote, std::string_view unfinished) {
    advance();
    int brackets = 0;  // that are open in a name
    while (at_ < text_.size()) {
      if (quote == '\'' && peek() == '\n') break;
      if (peek() == quote && (brackets <= 0 || !skip_inner_name())) break;
      if (peek() == quote) continue;
      if (quote == '\'' && peek() == '[') ++brackets;
      if (quote == '\'' && peek() == ']') --brackets;
      if (peek() == '\\' && at_ + 1 < text_.size()) advance();
      advance();
    }
    if (peek() != quote || at_ >= text_.size()) {
      diagnostics_.report(ErrorCode::syntax, token_.where,
                          fmt::format("{}: the closing {} is missing.", unfinished, quote));
      return finish_token(kind);
    }
    advance();
    if (kind == TokenKind::quoted_identifier && token_text().size() == 2) {
      diagnostics_.report(ErrorCode::syntax, token_.where, "A quoted name must not be empty.");
    }
    finish_token(kind);
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  Token token_;
  std::size_t at_ = 0;
  std::int32_t line_ = 1;
  std::int32_t column_ = 1;
  bool bad_bytes_reported_ = false;
};

char escaped(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return c;  // \" \' \\ \? stand for themselves
  }
}

}  // namespace

std::vector<Token> tokenize(std::string_view text, Diagnostics& diagnostics) {
  // Offsets are 32-bit: a text of 4 GB is no model.
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    diagnostics.report(ErrorCode::syntax, {1, 1}, "The text is larger than 4 GB.");
    diagnostics.throw_if_any();
  }
  return Lexer(text, diagnostics).run();
}

std::string unquote(std::string_view literal) {
  const bool is_closed = literal.size() > 1 && literal.back() == literal.front();
  const std::string_view inside = literal.substr(1, literal.size() - (is_closed ? 2 : 1));
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  std::string content;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool escape = inside[i] == '\\' && i + 1 < inside.size();
    content += escape ? escaped(inside[++i]) : inside[i];
  }
  return content;
}

std::string_view spelling(TokenKind kind) {
  const auto is_kind = [kind](const Spelling& s) { return s.kind == kind; };
  const auto* word = std::find_if(keywords.begin(), keywords.end(), is_kind);
  if (word != keywords.end()) return word->text;
  const auto* sign = std::find_if(punctuation.begin(), punctuation.end(), is_kind);
  if (sign != punctuation.end()) return sign->text;
  switch (kind) {
    case TokenKind::end_of_text:
      return "the end of the text";
    case TokenKind::identifier:
    case TokenKind::quoted_identifier:
      return "a name";
    case TokenKind::string:
      return "a string";
    default:
      return "a number";
  }
}

}  // namespace daedal::modelica

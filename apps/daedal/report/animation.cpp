// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <string_view>

#include "report/report.hpp"

namespace daedal::app {

namespace {

/// Reads shapes by the grammar that the page has (report/page.js), and computes nothing:
///
///     shapes = shape {[","|";"] shape}       shape = word "(" point {";" point} ")"
///     point = sum "," sum ["," sum]          sum = product {("+"|"-") product}
class AnimationReader {
 public:
  /// `origin`: where the shapes were given, for messages.
  AnimationReader(std::string_view text, std::string_view origin, const Model& model)
      : text_(text), origin_(origin), model_(model) {}

  void read() {
    for (skip(",;"); !at_end(); skip(",;")) shape();
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    const std::string_view rest = text_.substr(position_, 30);
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("{}: {} is expected {}; shapes are written like "
                    "\"rod(0,0; x,y) body(x,y) trace(x,y)\".",
                    origin_, expected, rest.empty() ? "at the end" : fmt::format("at '{}'", rest)));
  }

  /// Blanks, and the characters given.
  void skip(std::string_view more = {}) {
    while (position_ < text_.size() &&
           (std::isspace(static_cast<unsigned char>(text_[position_])) != 0 ||
            more.find(text_[position_]) != std::string_view::npos)) {
      ++position_;
    }
  }
  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  [[nodiscard]] char next() const { return at_end() ? '\0' : text_[position_]; }
  bool take(std::string_view characters) {
    skip();
    if (at_end() || characters.find(next()) == std::string_view::npos) return false;
    ++position_;
    return true;
  }
  [[nodiscard]] bool at_letter() const {
    return std::isalpha(static_cast<unsigned char>(next())) != 0 || next() == '_';
  }
  [[nodiscard]] bool at_digit() const {
    return std::isdigit(static_cast<unsigned char>(next())) != 0;
  }

  void shape() {
    const std::size_t begin = position_;
    const std::string word = at_letter() ? name() : "";
    if ((word != "rod" && word != "point" && word != "body" && word != "trace") || !take("(")) {
      position_ = begin;
      refuse("rod(...), body(...), point(...) or trace(...)");
    }
    do {
      sum();
      if (!take(",")) refuse("',' and the second coordinate of a point");
      sum();
      if (take(",")) sum();
    } while (take(";"));
    if (!take(")")) refuse("';' and another point, or ')'");
  }

  void sum() {
    do {
      product();
    } while (take("+-"));
  }
  void product() {
    do {
      power();
    } while (take("*/"));
  }
  void power() {
    do {
      while (take("+-")) {
      }
      primary();
    } while (take("^"));
  }
  void primary() {
    skip();
    if (take("(")) {
      sum();
      if (!take(")")) refuse("')'");
    } else if (at_digit() || next() == '.') {
      number();
    } else if (at_letter() || next() == '\'') {
      const std::size_t begin = position_;
      const std::string word = name();
      if (is_function(word) && take("(")) {
        sum();
        if (!take(")")) refuse("')'");
      } else {
        check(word, begin);
      }
    } else {
      refuse("a number, a name or '('");
    }
  }
  void number() {
    while (at_digit() || next() == '.') ++position_;
    if (next() != 'e' && next() != 'E') return;
    ++position_;
    if (next() == '+' || next() == '-') ++position_;
    if (!at_digit()) refuse("the exponent of a number");
    while (at_digit()) ++position_;
  }
  /// With its subscripts; without its quotes.
  std::string name() {
    const std::size_t begin = position_;
    if (next() == '\'') {
      const std::size_t end = text_.find('\'', begin + 1);
      if (end == std::string_view::npos) refuse("the closing quote of a name");
      position_ = end + 1;
      return std::string(text_.substr(begin + 1, end - begin - 1));
    }
    while (at_letter() || at_digit() || next() == '.') ++position_;
    if (next() == '[') {
      const std::size_t close = text_.find(']', position_);
      if (close == std::string_view::npos) refuse("']'");
      position_ = close + 1;
    }
    return std::string(text_.substr(begin, position_ - begin));
  }

  static bool is_function(std::string_view word) {
    return word == "sin" || word == "cos" || word == "tan" || word == "sqrt" || word == "abs" ||
           word == "exp";
  }
  void check(const std::string& word, std::size_t begin) {
    std::vector<std::string> known{"time"};
    for (const Variable& variable : model_.variables()) known.push_back(variable.name);
    for (const Variable& variable : model_.discretes()) known.push_back(variable.name);
    for (const Parameter& parameter : model_.parameters()) known.push_back(parameter.name);
    if (std::ranges::find(known, word) != known.end()) return;
    position_ = begin;
    const std::string nearest = nearest_name(word, known);
    throw OptionError(
        ErrorCode::unknown_name,
        fmt::format("{} names '{}', which is neither a variable nor a parameter of '{}'.{}",
                    origin_, word, model_.name(),
                    nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
  }

  std::string_view text_;
  std::string_view origin_;
  const Model& model_;
  std::size_t position_ = 0;
};

}  // namespace

std::string animation_of(const std::string& given, const Model& model) {
  const bool is_given = !given.empty();
  std::string text = is_given ? given : model.experiment().animation;
  AnimationReader(text, is_given ? "--animate" : "annotation(daedal(animate))", model).read();
  return text;
}

}  // namespace daedal::app

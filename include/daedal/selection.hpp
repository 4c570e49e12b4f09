// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How a method, an integrator or a boundary value method is chosen: as a typed value
///
///     options.method = Baumgarte{.alpha = 5.0};
///
/// or as the same in one word, "baumgarte:alpha=5". Each choice is a small struct with one table
/// of its fields. The table is its parser, its defaults, its range check and its row in the
/// catalogue (daedal/methods.hpp).

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

enum class FieldKind { real, integer, flag, choice };
/// "real", "integer", "flag", "choice".
DAEDAL_EXPORT std::string_view to_string(FieldKind kind);

/// The admissible values of a field.
struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool excludes_minimum = false;
};
inline constexpr Range positive{.minimum = 0.0, .excludes_minimum = true};
inline constexpr Range nonnegative{.minimum = 0.0};

/// One field as the catalogue shows it.
struct FieldInfo {
  std::string_view name;
  std::string_view meaning;
  FieldKind kind = FieldKind::real;
  std::optional<double> default_value{};  ///< none: chosen by the method
  Range range{};
  /// The words for the values 0, 1, 2, ... of a choice.
  std::span<const std::string_view> choices{};
};

/// A field of the struct `Value`: real (double), whole (int), flag (bool) or choice (an enum class
/// with the values 0, 1, 2, ...); in a std::optional where the method chooses by itself.
template <class Value, class Member>
struct Field {
  std::string_view name;
  Member Value::* member;
  std::string_view meaning;
  Range range{};
  std::span<const std::string_view> choices{};
};
template <class Value, class Member>
constexpr Field<Value, Member> field(std::string_view name, Member Value::* member,
                                     std::string_view meaning, Range range = {},
                                     std::span<const std::string_view> choices = {}) {
  return {name, member, meaning, range, choices};
}

/// A number, or a word: "true", "false" or the name of a choice.
class FieldValue {
 public:
  FieldValue() = default;  ///< 0
  FieldValue(double number) : value_(number) {}
  FieldValue(int number) : value_(static_cast<double>(number)) {}
  FieldValue(bool flag) : value_(flag ? 1.0 : 0.0) {}
  FieldValue(const char* word) : value_(std::string(word)) {}
  FieldValue(std::string word) : value_(std::move(word)) {}

  /// Null for a word.
  [[nodiscard]] const double* number() const { return std::get_if<double>(&value_); }
  /// Null for a number.
  [[nodiscard]] const std::string* word() const { return std::get_if<std::string>(&value_); }
  bool operator==(const FieldValue&) const = default;

 private:
  std::variant<double, std::string> value_ = 0.0;
};
using FieldValues = std::map<std::string, FieldValue, std::less<>>;

namespace selection_detail {

template <class Member>
struct Plain {
  using type = Member;
};
template <class Member>
struct Plain<std::optional<Member>> {
  using type = Member;
};

template <class Member>
constexpr FieldKind kind_of() {
  using Type = typename Plain<Member>::type;
  if constexpr (std::is_same_v<Type, bool>) return FieldKind::flag;
  if constexpr (std::is_enum_v<Type>) return FieldKind::choice;
  if constexpr (std::is_integral_v<Type>) return FieldKind::integer;
  return FieldKind::real;
}

template <class Member>
std::optional<double> number(const Member& member) {
  return static_cast<double>(member);
}
template <class Member>
std::optional<double> number(const std::optional<Member>& member) {
  return member ? number(*member) : std::nullopt;
}

template <class Member>
void assign(Member& member, double value) {
  if constexpr (std::is_same_v<Member, bool>) {
    member = value != 0.0;
  } else if constexpr (std::is_enum_v<Member>) {
    member = static_cast<Member>(static_cast<int>(value));
  } else {
    member = static_cast<Member>(value);
  }
}
template <class Member>
void assign(std::optional<Member>& member, double value) {
  assign(member.emplace(), value);
}

struct NamedValues {
  std::string name;
  FieldValues values;
};
/// "name:field=value,field=value". Throws OptionError{invalid_option}.
DAEDAL_EXPORT NamedValues parse(std::string_view text);
DAEDAL_EXPORT std::string print(std::string_view name, const FieldValues& values);
/// The checked number of a field. Throws OptionError{invalid_option}.
DAEDAL_EXPORT double checked(std::string_view owner, const FieldInfo& field,
                             const FieldValue& value);
/// Throws OptionError{invalid_option} for the first value that is no field.
DAEDAL_EXPORT void refuse_unknown(std::string_view owner, std::span<const FieldInfo> fields,
                                  const FieldValues& values);
[[noreturn]] DAEDAL_EXPORT void refuse_other(std::string_view wanted, std::string_view given);

}  // namespace selection_detail

/// The rows of the catalogue for the fields of `Value`.
template <class Value>
std::vector<FieldInfo> describe_fields() {
  std::vector<FieldInfo> rows;
  const Value defaults{};
  std::apply(
      [&](const auto&... fields) {
        (rows.push_back({.name = fields.name,
                         .meaning = fields.meaning,
                         .kind = selection_detail::kind_of<
                             std::remove_cvref_t<decltype(defaults.*fields.member)>>(),
                         .default_value = selection_detail::number(defaults.*fields.member),
                         .range = fields.range,
                         .choices = fields.choices}),
         ...);
      },
      Value::fields());
  return rows;
}

/// The name of a choice with the values of its fields that were given. `Category` keeps methods
/// and integrators apart.
template <class Category>
class Selection {
 public:
  Selection() = default;
  // One word converts as a typed value does: options read `.method = "ggl"`.
  Selection(const char* text) : Selection(std::string_view(text)) {}
  Selection(const std::string& text) : Selection(std::string_view(text)) {}
  /// "name" or "name:field=value,...". Throws OptionError{invalid_option} for another form;
  /// whether the name and its fields exist is checked where the selection is used.
  Selection(std::string_view text) {
    auto parsed = selection_detail::parse(text);
    name_ = std::move(parsed.name);
    values_ = std::move(parsed.values);
  }
  Selection(std::string_view name, FieldValues values) : name_(name), values_(std::move(values)) {}
  template <class Value>
    requires std::same_as<typename Value::Category, Category>
  Selection(const Value& value) : name_(Value::name) {
    const Value defaults{};
    std::apply(
        [&](const auto&... fields) {
          (keep(fields.name, selection_detail::number(value.*fields.member),
                selection_detail::number(defaults.*fields.member)),
           ...);
        },
        Value::fields());
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_automatic() const { return name_ == "auto"; }
  /// The fields that were given.
  [[nodiscard]] const FieldValues& values() const { return values_; }
  void set(std::string_view field, FieldValue value) {
    values_.insert_or_assign(std::string(field), std::move(value));
  }
  /// In one word, as the constructor reads it.
  [[nodiscard]] std::string text() const { return selection_detail::print(name_, values_); }

  /// The typed value; of "auto" the defaults. Throws OptionError{invalid_option} for another name,
  /// an unknown field or a value out of its range.
  template <class Value>
    requires std::same_as<typename Value::Category, Category>
  [[nodiscard]] Value as() const {
    if (name_ != Value::name && !is_automatic()) selection_detail::refuse_other(Value::name, name_);
    const std::vector<FieldInfo> rows = describe_fields<Value>();
    selection_detail::refuse_unknown(name_, rows, values_);
    Value value{};
    std::size_t row = 0;
    std::apply([&](const auto&... fields) { (read(value.*fields.member, rows[row++]), ...); },
               Value::fields());
    return value;
  }

 private:
  void keep(std::string_view field, std::optional<double> value, std::optional<double> usual) {
    if (value && value != usual) set(field, *value);
  }
  template <class Member>
  void read(Member& member, const FieldInfo& row) const {
    const auto found = values_.find(row.name);
    if (found == values_.end()) return;
    selection_detail::assign(member, selection_detail::checked(name_, row, found->second));
  }

  std::string name_ = "auto";
  FieldValues values_{};
};

}  // namespace daedal

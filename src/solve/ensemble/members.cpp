// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/ensemble.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <daedal/error.hpp>
#include <numbers>
#include <utility>

namespace daedal {

namespace {

[[noreturn]] void refuse_members(const std::string& text) {
  throw OptionError(ErrorCode::invalid_option, text);
}

/// A table with more members than this is refused as a mistake: it would not fit into memory.
constexpr std::size_t most_members = 100'000'000;

std::size_t checked_product(std::size_t a, std::size_t b) {
  if (a != 0 && b > most_members / a) {
    refuse_members(
        fmt::format("An ensemble of more than {} members is most likely a mistake.", most_members));
  }
  return a * b;
}

/// Parameters first, then start values, as Members has them.
template <class Axis>
std::vector<const Axis*> in_order(std::span<const Axis> axes, Members& members) {
  std::vector<const Axis*> order;
  for (const bool is_start : {false, true}) {
    auto& names = is_start ? members.start_values : members.parameters;
    for (const Axis& axis : axes) {
      if (axis.is_start_value != is_start) continue;
      if (std::ranges::find(names, axis.name) != names.end()) {
        refuse_members(fmt::format("'{}' is varied twice.", axis.name));
      }
      names.push_back(axis.name);
      order.push_back(&axis);
    }
  }
  return order;
}

// Random numbers that depend on a key alone: every member draws its own, in any thread.

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// In (0, 1), the `k`-th draw of a key.
double uniform_draw(std::uint64_t key, std::uint64_t k) {
  const std::uint64_t bits = mixed(mixed(key) + k) >> 11U;
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

/// Box and Muller, Ann. Math. Stat. 29 (1958) 610.
double normal_draw(std::uint64_t key) {
  const double radius = std::sqrt(-2.0 * std::log(uniform_draw(key, 0)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform_draw(key, 1));
}

/// Read from its text.
struct Distribution {
  enum class Kind { normal, uniform, lognormal, loguniform, triangular };
  Kind kind = Kind::normal;
  std::vector<double> numbers;

  [[nodiscard]] double draw(std::uint64_t key) const {
    const double a = numbers[0];
    const double b = numbers[1];
    switch (kind) {
      case Kind::normal:
        return a + b * normal_draw(key);
      case Kind::lognormal:
        return std::exp(a + b * normal_draw(key));
      case Kind::uniform:
        return a + (b - a) * uniform_draw(key, 0);
      case Kind::loguniform:
        return std::exp(std::log(a) + (std::log(b) - std::log(a)) * uniform_draw(key, 0));
      case Kind::triangular:
        break;
    }
    // The inverse of the distribution function, with the mode b between a and c.
    const double c = numbers[2];
    const double u = uniform_draw(key, 0);
    const double share = (b - a) / (c - a);
    return u < share ? a + std::sqrt(u * (b - a) * (c - a))
                     : c - std::sqrt((1.0 - u) * (c - b) * (c - a));
  }
};

[[noreturn]] void refuse_distribution(const RandomAxis& axis, const std::string& reason) {
  refuse_members(
      fmt::format("'{}' of '{}' is not a distribution: {}", axis.distribution, axis.name, reason));
}

double number_in(std::string_view text, const RandomAxis& axis) {
  const auto first = text.find_first_not_of(" \t");
  text = first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end || !std::isfinite(value)) {
    refuse_distribution(axis, fmt::format("'{}' is not a number.", text));
  }
  return value;
}

Distribution parse_distribution(const RandomAxis& axis) {
  using Kind = Distribution::Kind;
  struct Row {
    std::string_view name;
    Kind kind;
    std::size_t n_numbers;
  };
  static constexpr Row rows[] = {{"normal", Kind::normal, 2},
                                 {"uniform", Kind::uniform, 2},
                                 {"lognormal", Kind::lognormal, 2},
                                 {"loguniform", Kind::loguniform, 2},
                                 {"triangular", Kind::triangular, 3}};
  const std::string_view text = axis.distribution;
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  const Row* row = std::ranges::find(rows, text.substr(0, open), &Row::name);
  if (row == std::end(rows)) {
    refuse_distribution(axis, "there are normal, uniform, lognormal, loguniform and triangular.");
  }
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      text.find_first_not_of(" \t", close + 1) != std::string_view::npos) {
    refuse_distribution(axis, "its numbers must stand in parentheses.");
  }
  Distribution result{row->kind, {}};
  std::string_view inside = text.substr(open + 1, close - open - 1);
  while (true) {
    const auto comma = inside.find(',');
    result.numbers.push_back(number_in(inside.substr(0, comma), axis));
    if (comma == std::string_view::npos) break;
    inside.remove_prefix(comma + 1);
  }
  if (result.numbers.size() != row->n_numbers) {
    refuse_distribution(axis, fmt::format("{} has {} numbers.", row->name, row->n_numbers));
  }
  const std::vector<double>& n = result.numbers;
  if ((row->kind == Kind::normal || row->kind == Kind::lognormal) && n[1] < 0.0) {
    refuse_distribution(axis, "its deviation must not be negative.");
  }
  if ((row->kind == Kind::uniform || row->kind == Kind::loguniform) && !(n[0] < n[1])) {
    refuse_distribution(axis, "its limits must ascend.");
  }
  if (row->kind == Kind::loguniform && !(n[0] > 0.0)) {
    refuse_distribution(axis, "its limits must be positive.");
  }
  if (row->kind == Kind::triangular && !(n[0] <= n[1] && n[1] <= n[2] && n[0] < n[2])) {
    refuse_distribution(axis, "its numbers must ascend.");
  }
  return result;
}

}  // namespace

std::span<const double> Members::row(std::size_t member) const {
  return std::span<const double>(values).subspan(member * n_columns(), n_columns());
}

RunValues Members::run_values(std::size_t member) const {
  RunValues result;
  const auto own = row(member);
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (k < parameters.size()) {
      result.parameters[parameters[k]] = own[k];
    } else {
      result.start_values[start_values[k - parameters.size()]] = own[k];
    }
  }
  return result;
}

Members grid(std::span<const MemberAxis> axes) {
  Members members;
  const auto order = in_order(axes, members);
  std::vector<std::size_t> stride(order.size(), 1);  // members between two values, by column
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto column = std::ranges::find(order, &axes[i]) - order.begin();
    stride[static_cast<std::size_t>(column)] = members.count;
    members.count = checked_product(members.count, axes[i].values.size());
    if (axes[i].values.empty()) {
      refuse_members(fmt::format("'{}' has no values.", axes[i].name));
    }
  }
  members.values.reserve(members.count * order.size());
  for (std::size_t m = 0; m < members.count; ++m) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::vector<double>& values = order[k]->values;
      members.values.push_back(values[m / stride[k] % values.size()]);
    }
  }
  return members;
}

Members random_members(std::span<const RandomAxis> axes, std::size_t n, std::uint64_t seed) {
  Members members;
  const auto order = in_order(axes, members);
  if (n == 0 || n > most_members) refuse_members("The number of samples must be at least 1.");
  members.count = n;
  std::vector<Distribution> distributions;
  std::vector<std::uint64_t> keys;
  for (const RandomAxis* axis : order) {
    distributions.push_back(parse_distribution(*axis));
    keys.push_back(mixed(seed) ^ hash_of(axis->name));
  }
  members.values.reserve(n * order.size());
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      members.values.push_back(distributions[k].draw(mixed(keys[k]) + m));
    }
  }
  return members;
}

Members product(const Members& a, const Members& b) {
  Members members{.count = checked_product(a.count, b.count)};
  for (const auto names : {&Members::parameters, &Members::start_values}) {
    members.*names = a.*names;
    for (const std::string& name : b.*names) {
      if (std::ranges::find(a.*names, name) != (a.*names).end()) {
        refuse_members(fmt::format("'{}' is varied twice.", name));
      }
      (members.*names).push_back(name);
    }
  }
  members.values.reserve(members.count * members.n_columns());
  for (std::size_t i = 0; i < a.count; ++i) {
    for (std::size_t j = 0; j < b.count; ++j) {
      const auto append = [&](std::span<const double> part) {
        members.values.insert(members.values.end(), part.begin(), part.end());
      };
      append(a.row(i).first(a.parameters.size()));
      append(b.row(j).first(b.parameters.size()));
      append(a.row(i).subspan(a.parameters.size()));
      append(b.row(j).subspan(b.parameters.size()));
    }
  }
  return members;
}

}  // namespace daedal

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The places in a model's expressions where something may happen within one step that its ends do
/// not show, found once from their structure:
///
///     steep      exp, tanh, 1/a, aᵇ, products of many factors, ...: each has a distance that its
///                argument may go without being more than a gentle curve; beyond it a bump may hide
///     kink       abs, min, max: where the arguments change places
///     jump       relations under noEvent, sign, floor
///     relation   a relation that holds its value: an event where it changes and changes back
///     bound      a value of which the model says that it is nowhere beyond a limit
///
/// Arguments that are held between events are no concern. Polynomials of a low degree are none
/// either: what they hide no step of their degree oversees.

#include <daedal/model.hpp>
#include <span>
#include <vector>

#include "kernel/enclosure.hpp"

namespace daedal::solve_detail {

/// A function whose bounds lie this close together, by the relative tolerance and its greatest
/// value over the step, is flat.
inline constexpr double flat_share = 1e-3;

struct FoundFunction;

/// A limit of one of the model's values, an expression in its pool.
struct ValueLimit {
  NodeId value = no_node;
  double limit = 0.0;
  bool is_upper = true;
};

struct Watched {
  enum class Kind { steep, kink, jump, relation, divisor, bound };
  struct Factor {
    std::size_t place;
    double power;
  };
  Kind kind = Kind::steep;
  std::size_t place = 0;  ///< of the node in the enclosure
  std::size_t a = 0;      ///< its argument, the divisor of a quotient
  std::size_t b = 0;      ///< what kinks, jumps, relations and bounds compare with, if `has_b`
  bool has_b = false;
  std::size_t cover = 0;  ///< the function through which alone it matters, if `is_covered`
  bool is_covered = false;
  std::vector<Factor> factors{};  ///< of a product
  std::size_t limit = 0;          ///< of a bound: its number. Beyond it a − b is positive.
  bool is_implicit = false;       ///< it compares what follows from equations that are to be solved
  bool may_leap = false;          ///< a quotient with a divisor that does: it may pass 0 at once
  bool is_of_time = false;  ///< its arguments follow from the time alone, which is known exactly

  /// Whether the function depends on the sign of its difference.
  [[nodiscard]] bool has_sides() const {
    return kind == Kind::kink || kind == Kind::jump || kind == Kind::relation;
  }
  /// Bounds of a − b, whose sign decides, or of the argument.
  [[nodiscard]] kernel::Interval difference(std::span<const kernel::Interval> bounds) const;
};

class WatchedFunctions {
 public:
  /// `outputs`: further expressions of the model's variables, in its pool.
  WatchedFunctions(const Model& model, std::span<const NodeId> outputs,
                   std::span<const ValueLimit> limits = {});

  [[nodiscard]] bool empty() const { return watched_.empty(); }
  [[nodiscard]] std::span<const Watched> watched() const { return watched_; }
  [[nodiscard]] const kernel::Enclosure& enclosure() const { return enclosure_; }
  /// Nodes to evaluate for the arguments of all functions, and for some functions themselves.
  [[nodiscard]] std::span<const std::size_t> arguments() const { return arguments_; }
  [[nodiscard]] std::vector<std::size_t> needed_for(std::span<const std::size_t> numbers) const;

  /// How many times too far the argument goes; at most 1 where the function is no concern.
  [[nodiscard]] double strain(const Watched& function,
                              std::span<const kernel::Interval> bounds) const;
  /// Whether the bounds leave open which sign the difference of a function has, or, for floor,
  /// which whole number is below its argument.
  [[nodiscard]] bool is_open(const Watched& function,
                             std::span<const kernel::Interval> bounds) const;
  /// Whether a function is no more than a gentle curve within the bounds, or an exponential whose
  /// argument goes no more than so many times too far.
  [[nodiscard]] bool is_calm(const Watched& function, std::span<const kernel::Interval> bounds,
                             double strain_of_exponentials) const;
  /// Whether the function is a wave with so many turns within the bounds that the error estimate of
  /// the step samples it at random, and so cannot miss it.
  [[nodiscard]] bool is_fast_wave(const Watched& function,
                                  std::span<const kernel::Interval> bounds) const;
  /// Whether what a function compares is a smooth curve within the bounds, but for kinks.
  [[nodiscard]] bool is_smooth(const Watched& function,
                               std::span<const kernel::Interval> bounds) const;
  /// The part of the argument's bounds for which the function is not defined: how far they reach
  /// beyond its domain, 0 or less when they do not.
  [[nodiscard]] double beyond_domain(const Watched& function,
                                     std::span<const kernel::Interval> bounds) const;
  /// Whether the function is defined for no argument within the bounds.
  [[nodiscard]] bool is_undefined(const Watched& function,
                                  std::span<const kernel::Interval> bounds) const;
  /// Whether the function may grow without bounds where the argument passes a value.
  [[nodiscard]] bool has_pole(const Watched& function) const;
  /// Whether the function is infinite where its divisor is zero: its numerator is not.
  [[nodiscard]] bool is_infinite(const Watched& function,
                                 std::span<const kernel::Interval> bounds) const;
  /// Whether every choice that leads to the function may fall on it.
  [[nodiscard]] bool is_chosen(std::size_t number, std::span<const kernel::Interval> bounds) const;
  /// Whether a function is next to constant within the bounds, or all that uses it is: by a share
  /// of the greatest value of each function.
  [[nodiscard]] bool is_flat(std::size_t number, std::span<const kernel::Interval> bounds,
                             std::span<const double> greatest, double share) const;
  /// The greatest magnitude of each function within the bounds, 0 where there is none.
  [[nodiscard]] std::vector<double> greatest(std::span<const kernel::Interval> bounds) const;
  /// "sqrt", "log", ... for messages.
  [[nodiscard]] std::string_view name(const Watched& function) const;

 private:
  /// A branch of a choice that a function stands in, with all that needs it.
  struct Guard {
    std::size_t condition = 0;  ///< its place
    bool is_then = false;
  };
  void keep(const Pool& pool, std::span<const FoundFunction> found);

  std::vector<std::vector<Guard>> guards_;  ///< by function
  kernel::Enclosure enclosure_;
  std::vector<Watched> watched_;
  std::vector<std::size_t> arguments_;
};

}  // namespace daedal::solve_detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The past of a signal that a model reads with a delay. Accepted steps are kept as polynomials;
/// the model reads them, some at a time, as the coefficients of one polynomial that is as long as
/// its accuracy allows, so that it does not matter how short the steps were.

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "model/model_data.hpp"

namespace daedal::formulation {

class SignalHistory {
 public:
  using Signal = std::function<double(double t)>;
  static constexpr std::size_t n_nodes = delay_coefficients;
  using Numbers = std::array<double, n_nodes>;

  /// c0 + c1 s + c2 s² + ..., s = (t − middle)·inverse, from `begin` to `end`.
  struct Stretch {
    double begin, end, middle, inverse;
    Numbers coefficients;
  };

  /// What the signal was in a step, or in a part of one, behind all others.
  void add(double t0, double t1, const Signal& signal, double rtol);
  /// What follows may not continue what was.
  void note_event() { is_after_event_ = true; }
  /// From t on; coefficients that are not numbers where nothing is known.
  [[nodiscard]] Stretch from(double t) const;
  /// The signal or one of its first derivatives jumps at t.
  [[nodiscard]] bool breaks_at(double t) const;
  void forget_before(double t);

 private:
  struct Piece {
    double begin, end;
    Numbers values;  ///< at Chebyshev points, the last one first
  };

  void divide(double t0, double t1, const Signal& signal, int depth);
  [[nodiscard]] std::size_t piece_at(double t) const;
  [[nodiscard]] double value(double t) const;
  [[nodiscard]] bool fits(const Piece& piece, std::size_t first, std::size_t last) const;
  [[nodiscard]] Piece joined(double t0, double t1) const;
  /// Whether a break lies between two pieces that follow each other.
  [[nodiscard]] bool is_broken(const Piece& before, const Piece& after) const;

  std::vector<Piece> pieces_;
  std::vector<double> breaks_;
  bool is_after_event_ = true;
  double greatest_ = 0.0;  ///< magnitude of the signal so far
  double accuracy_ = 0.0;
};

}  // namespace daedal::formulation

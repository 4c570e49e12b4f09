// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The past of a signal that a model reads with a delay, over time, or what a flow carries, over
/// the way that it has come. Accepted steps are kept as polynomials; the model reads them, some at
/// a time, as the coefficients of one polynomial that is as long as its accuracy allows, so that it
/// does not matter how short the steps were.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
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

  /// Where something is known ends twice.
  enum class End { front, back };

  struct Precision {
    double rtol;         ///< relative to the greatest magnitude of the signal so far
    double tolerance;    ///< of its values, where it is less
    int most_divisions;  ///< the halvings of what no polynomial follows
  };
  /// What the signal was in a step, or in a part of one, beyond what is known.
  void add(double t0, double t1, const Signal& signal, const Precision& precision,
           End end = End::back);
  /// What follows may not continue what was.
  void note_event() { is_after_event_ = {true, true}; }
  /// Where nothing is known yet: straight lines between points, which may be one above the other.
  void begin_with(std::span<const double> points, std::span<const double> values, double shift);
  [[nodiscard]] bool is_empty() const { return pieces_.empty(); }
  /// Away from t, towards that end; coefficients that are not numbers where nothing is known.
  [[nodiscard]] Stretch from(double t, End towards = End::back) const;
  /// The signal or one of its first derivatives jumps at t.
  [[nodiscard]] bool breaks_at(double t) const;
  /// Some step varied too fast to be kept as well as the others.
  [[nodiscard]] bool has_lost_sight() const { return has_lost_sight_; }
  void forget_before(double t);
  /// What lies outside is gone for ever.
  void keep(double t0, double t1);

  /// Hands over all that is known, to an archive or from one.
  template <class Archive>
  void transfer(Archive& archive) {
    const auto number = [&](double& value) { archive(value); };
    archive.list(pieces_, [&](Piece& piece) {
      for (double* value : {&piece.begin, &piece.end, &piece.error, &piece.noise, &piece.accuracy})
        archive(*value);
      std::ranges::for_each(piece.values, number);
    });
    archive.list(breaks_, number);
    for (bool* flag : {&is_after_event_[0], &is_after_event_[1], &has_lost_sight_}) archive(*flag);
    archive(greatest_);
  }

 private:
  struct Piece {
    double begin, end;
    Numbers values;      ///< at Chebyshev points, the last one first
    double error = 0.0;  ///< of the polynomial through them
    double noise = 0.0;  ///< the same where it is known to be one of rounding
    double accuracy = 0.0;
  };

  [[nodiscard]] static Piece sampled(double t0, double t1, const Signal& signal);
  /// How often a stretch may be divided, and how often of late it was without success.
  struct Division {
    int n_left = 0, n_futile = 0;
    bool is_fine = false;
  };
  [[nodiscard]] static bool is_noise(const Piece& piece, const Signal& signal);
  void divide(const Piece& whole, const Signal& signal, const Division& division);
  /// Times that differ by less are one.
  [[nodiscard]] double rounding() const;
  /// The first piece that goes on behind t.
  [[nodiscard]] std::size_t piece_at(double t) const;
  [[nodiscard]] double value(double t) const;
  [[nodiscard]] bool fits(const Piece& piece, std::size_t first, std::size_t last) const;
  [[nodiscard]] Piece joined(double t0, double t1) const;
  /// Whether a break lies between two pieces that follow each other.
  [[nodiscard]] bool is_broken(const Piece& before, const Piece& after) const;

  std::vector<Piece> pieces_;
  std::vector<Piece> fresh_;  ///< of the step that is being added
  std::vector<double> breaks_;
  std::array<bool, 2> is_after_event_{true, true};  ///< at the ends
  bool has_lost_sight_ = false;
  bool is_noise_ = false;  ///< the step that is being added
  double greatest_ = 0.0;  ///< magnitude of the signal so far
  double accuracy_ = 0.0;  ///< of that step
};

}  // namespace daedal::formulation

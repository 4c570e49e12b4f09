// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Whether two solutions of the equations have met between two instants of a run. The determinant
/// of what gives x' and the algebraic unknowns has one sign along a solution. It changes where two
/// solutions meet, and then the last digits decide which of them the run follows.
///
/// BranchWatch finds the instant within a step. This check sees a change of sign however far apart
/// the instants are.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "formulation/frame/written_equations.hpp"

namespace daedal::solve_detail {

class BranchSigns {
 public:
  explicit BranchSigns(std::shared_ptr<const formulation::WrittenEquations> system);

  /// Whether the equations are few enough, and such that their determinant has a meaning.
  [[nodiscard]] bool is_possible() const { return is_possible_; }
  /// Whether a look is worth the derivatives that it takes. Where the index is above 1 the
  /// determinant is 0 at every look: fewer and fewer of them find out whether it still is.
  [[nodiscard]] bool is_due(const Run& run);
  /// Takes the derivatives of the equations at an instant of a run.
  void look(double t, const Run& run, std::span<const double> f_x, std::span<const double> f_xp);
  /// A full sentence about the first change of sign; empty when there was none.
  [[nodiscard]] const std::string& sentence() const { return sentence_; }

 private:
  struct Orientation {
    double t = 0.0;
    int sign = 0;
    Matrix matrix = {};
  };

  [[nodiscard]] Matrix scaled_matrix(std::span<const double> f_x,
                                     std::span<const double> f_xp) const;

  std::shared_ptr<const formulation::WrittenEquations> system_;
  bool is_possible_;
  std::optional<Orientation> last_;        ///< at the last look between the same events
  std::vector<double> modes_, discretes_;  ///< at the last look
  int n_singular_ = 0;                     ///< looks in a row at a determinant of 0
  int n_to_skip_ = 0;
  std::string sentence_;
};

}  // namespace daedal::solve_detail

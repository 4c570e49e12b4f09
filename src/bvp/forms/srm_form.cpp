// SPDX-License-Identifier: BSD-3-Clause
/// The equations of one iterate of the sequential regularisation.

#include <fmt/format.h>

#include "bvp/forms/boundary_srm.hpp"
#include "bvp/forms/form_writer.hpp"

namespace daedal::solve_detail {

namespace {

class IterateWriter : FormWriter {
 public:
  IterateWriter(const ConstrainedView& view, const BoundarySrmSettings& settings, double direction)
      : FormWriter(view),
        settings_(settings),
        direction_(direction),
        n_(view.force.size()),
        n_y_(view.algebraic.size()) {}

  BoundaryForm write() {
    z_ = add_unknowns(n_y_, "E c");
    c_ = add_unknowns(n_y_, "violation");
    u_ = add_unknowns(settings_.gain != SrmGain::identity ? n_ : 0, "auxiliary");
    bind_unknowns();
    for (int j = 0; j + 1 < view_.order(); ++j) {
      for (std::size_t i = 0; i < n_; ++i) {
        add(state(j, i, 1), state(j + 1, i), fmt::format("derivative of {}", state_name(j, i)));
      }
    }
    add_dynamics();
    // c = (d/dt + γ)ᵐ⁻¹ g.
    const std::vector<NodeId> c = damped_levels(view_.order() - 1, settings_.gamma);
    for (std::size_t i = 0; i < n_y_; ++i) {
      add(local(c_, i), c[i], fmt::format("violation {}", i + 1));
    }
    add_gain();
    take_conditions();
    add_levels_at_the_beginning();
    return finish();
  }

 private:
  NodeId local(SymbolId first, std::size_t i) { return unknown(first + static_cast<SymbolId>(i)); }

  /// M x' = f − By_(s−1) − (1/ε) B z; By_(s−1) is added when the problem is solved.
  void add_dynamics() {
    const std::vector<NodeId> left = inertia();
    std::vector<NodeId> product(n_, zero());
    accumulate(view_.coefficient, false, [&](std::size_t j) { return local(z_, j); }, product);
    const NodeId factor = pool_->constant(direction_ / settings_.epsilon);
    for (std::size_t i = 0; i < n_; ++i) {
      add(left[i], pool_->sub(rewrite(view_.force[i]), pool_->mul(factor, product[i])),
          fmt::format("dynamics of {}", state_name(view_.order() - 1, i)));
    }
  }

  /// z = E c with A = G M⁻¹ B, without an inverse: A⁻¹ and (A + δI)⁻¹ by M u = B z, G u + δz = c,
  /// Aᵀ by Mᵀ u = Gᵀ c, z = Bᵀ u.
  void add_gain() {
    const auto z = [&](std::size_t j) { return local(z_, j); };
    const auto c = [&](std::size_t j) { return local(c_, j); };
    const auto u = [&](std::size_t i) { return local(u_, i); };
    const std::string name = "regularisation";
    if (settings_.gain == SrmGain::identity) {
      for (std::size_t j = 0; j < n_y_; ++j) add(z(j), c(j), name);
      return;
    }
    const bool is_transpose = settings_.gain == SrmGain::transpose;
    std::vector<NodeId> left(n_, zero());
    std::vector<NodeId> right(n_, zero());
    std::vector<NodeId> last(n_y_, zero());
    accumulate(view_.mass, is_transpose, u, left);
    if (is_transpose) {
      accumulate(view_.jacobian, true, c, right);
      accumulate(view_.coefficient, true, u, last);
    } else {
      accumulate(view_.coefficient, false, z, right);
      accumulate(view_.jacobian, false, u, last);
    }
    for (std::size_t i = 0; i < n_; ++i) add(left[i], right[i], name);
    const NodeId delta =
        pool_->constant(settings_.gain == SrmGain::shifted ? settings_.delta : 0.0);
    for (std::size_t j = 0; j < n_y_; ++j) {
      if (is_transpose) {
        add(z(j), last[j], name);
      } else {
        add(pool_->add(last[j], pool_->mul(delta, z(j))), c(j), name);
      }
    }
  }

  const BoundarySrmSettings& settings_;
  double direction_;
  std::size_t n_;
  std::size_t n_y_;
  SymbolId z_ = 0;
  SymbolId c_ = 0;
  SymbolId u_ = 0;
};

}  // namespace

BoundaryForm srm_form(const ConstrainedView& view, const BoundarySrmSettings& settings,
                      double direction) {
  return IterateWriter(view, settings, direction).write();
}

}  // namespace daedal::solve_detail

// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/branch_signs.hpp"

#include <gtest/gtest.h>

#include <daedal/model.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "formulation/frame/registry.hpp"

namespace daedal::solve_detail {
namespace {

/// What looks at the equations as they are written, with states and rates of 1.
class Looks {
 public:
  explicit Looks(Model model) {
    formulation::Request request;
    request.model = std::move(model);
    request.method = Direct{};
    system_ = std::dynamic_pointer_cast<const formulation::WrittenEquations>(
        formulation::find_method("direct").make(request).implicit_system);
    run_ = system_->make_run();
    signs_.emplace(system_);
  }

  /// How many of `n` looks are due.
  int due(int n) {
    int found = 0;
    for (int i = 0; i < n; ++i) {
      if (!signs_->is_due(*run_)) continue;
      ++found;
      look();
    }
    return found;
  }
  void change_modes() { run_->modes.push_back(1.0); }

 private:
  void look() {
    const std::vector<double> ones(to_size(system_->size()), 1.0);
    std::vector<double> f_x(to_size(system_->pattern().nonzeros())), f_xp(f_x);
    ASSERT_EQ(system_->jacobian(0.0, ones, ones, *run_, f_x, f_xp), Evaluation::ok);
    signs_->look(0.0, *run_, f_x, f_xp);
  }

  std::shared_ptr<const formulation::WrittenEquations> system_;
  std::unique_ptr<Run> run_;
  std::optional<BranchSigns> signs_;
};

/// z = 2x beside x' = −x and y' = −y, or beside x' + y' = −x and x' + y' = −y: index 2.
Model coupled(bool is_singular) {
  ModelBuilder b("Coupled");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(is_singular ? der(x) + der(y) == -x : der(x) == -x, "first");
  b.equation(is_singular ? der(x) + der(y) == -y : der(y) == -y, "second");
  b.equation(z == 2.0 * x, "double");
  return b.build();
}

TEST(BranchSigns, AreLookedForAtEveryInstantWhereTheDeterminantHasOne) {
  EXPECT_EQ(Looks(coupled(false)).due(200), 200);
}

// After looks 1, 2, 4, 8, ... 64, and then every 64th: the gaps double six times.
TEST(BranchSigns, AreLookedForLessAndLessOftenWhereTheDeterminantIsZero) {
  Looks looks(coupled(true));
  EXPECT_EQ(looks.due(200), 9);
  looks.change_modes();
  EXPECT_EQ(looks.due(1), 1);
}

}  // namespace
}  // namespace daedal::solve_detail

// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/system.hpp>

#include <gtest/gtest.h>

#include <array>
#include <daedal/error.hpp>

#include "support/function_systems.hpp"

namespace daedal {
namespace {

using test::In;
using test::Out;

/// x² = 1, without directions for a symmetric projection.
class TwoPoints final : public Manifold {
 public:
  [[nodiscard]] int n_levels() const override { return 1; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return 1; }
  Evaluation residual(double, In x, int, Run&, Out values) const override {
    values[0] = x[0] * x[0] - 1.0;
    return Evaluation::ok;
  }
  Evaluation project(double, Out, In, Run&) const override { return Evaluation::ok; }
};

/// x' = −x.
class Decay final : public ExplicitSystem {
 public:
  [[nodiscard]] std::int64_t size() const override { return 1; }
  Evaluation rhs(double, In x, Run&, Out xp) const override {
    xp[0] = -x[0];
    return Evaluation::ok;
  }
};

template <class Call>
ErrorCode code_of(const Call& call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::syntax;
}

TEST(System, ThrowsAnInternalErrorWhereAnAbilityIsUsedThatItDoesNotHave) {
  daedal::Run run;
  const std::array<double, 1> x{1.0};
  std::array<double, 1> out{};
  EXPECT_EQ(code_of([&] { return TwoPoints().add_normal(0.0, x, x, out, run); }),
            ErrorCode::internal);
  const Decay decay;
  EXPECT_FALSE(decay.has_jacobian());
  EXPECT_EQ(code_of([&] { return decay.jacobian(0.0, x, run, out); }), ErrorCode::internal);
}

}  // namespace
}  // namespace daedal

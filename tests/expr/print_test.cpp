// SPDX-License-Identifier: BSD-3-Clause
#include "expr/print.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <daedal/expr.hpp>
#include <string>

namespace daedal {
namespace {

std::string name(Op kind, SymbolId symbol) {
  if (kind == Op::sample) return "sample(0, 0.1)";
  if (kind == Op::parameter) return "p" + std::to_string(symbol);
  if (kind == Op::discrete || kind == Op::pre) return "b" + std::to_string(symbol);
  return symbol == 0 ? "x" : (symbol == 1 ? "y" : "'z[1]'");
}

class Print : public testing::Test {
 protected:
  [[nodiscard]] std::string text(const Expr& e) const { return to_string(pool_, e.id(), name); }

  Pool pool_;
  Expr x_ = {pool_, pool_.variable(0)};
  Expr y_ = {pool_, pool_.variable(1)};
  Expr z_ = {pool_, pool_.variable(2)};
};

TEST_F(Print, WritesLeavesInTheLanguageOfTheModelText) {
  EXPECT_EQ(text(z_), "'z[1]'");
  EXPECT_EQ(text(der(x_)), "der(x)");
  EXPECT_EQ(text(der(x_, 3)), "der(der(der(x)))");
  EXPECT_EQ(text({pool_, pool_.time()}), "time");
  EXPECT_EQ(text({pool_, pool_.parameter(4)}), "p4");
  EXPECT_EQ(text({pool_, pool_.pre(2)}), "pre(b2)");
  EXPECT_EQ(text({pool_, pool_.pre_variable(0)}), "pre(x)");
  EXPECT_EQ(text({pool_, pool_.sample(0)}), "sample(0, 0.1)");
  EXPECT_EQ(text({pool_, pool_.initial()}), "initial()");
  EXPECT_EQ(text({pool_, pool_.terminal()}), "terminal()");
}

TEST_F(Print, PutsParenthesesWhereTheGrammarAsksForThem) {
  EXPECT_EQ(text((x_ + y_) * z_), "'z[1]'*(x + y)");
  EXPECT_EQ(text(x_ - (y_ - z_)), "x - (y - 'z[1]')");
  EXPECT_EQ(text((x_ - y_) - z_), "x - y - 'z[1]'");
  EXPECT_EQ(text(x_ / (y_ * z_)), "x/(y*'z[1]')");
  EXPECT_EQ(text((x_ / y_) / z_), "x/y/'z[1]'");
  EXPECT_EQ(text(x_ / (y_ / z_)), "x/(y/'z[1]')");
  EXPECT_EQ(text(-(x_ * y_)), "-x*y");
  EXPECT_EQ(text(-(x_ + y_)), "-(x + y)");
  EXPECT_EQ(text(pow(x_, y_)), "x^y");
  EXPECT_EQ(text(pow(pow(x_, y_), z_)), "(x^y)^'z[1]'");
  EXPECT_EQ(text(pow(x_ + 1.0, 2)), "(1 + x)^2");
  EXPECT_EQ(text(pow(x_, -2)), "x^(-2)");
  EXPECT_EQ(text(pow(Expr(-2.0), x_ + 0.0)), "(-2)^x");
  EXPECT_EQ(text(exp(-x_)), "exp(-x)");
}

TEST_F(Print, KeepsMinusSignsLegible) {
  EXPECT_EQ(text(x_ - 2.0), "x - 2");
  EXPECT_EQ(text(x_ + (-2.0) * y_), "x - 2*y");
  EXPECT_EQ(text(-2.0 * x_), "-2*x");
  EXPECT_EQ(text(-2.0 / x_), "-2/x");
  EXPECT_EQ(text(y_ / (-2.5 * x_)), "y/(-2.5*x)");
  EXPECT_EQ(text(min(x_, -2.0)), "min(-2, x)");
}

TEST_F(Print, WritesChoicesRelationsAndLogic) {
  EXPECT_EQ(text(if_else(x_ < 0.0, -x_, x_)), "if x < 0 then -x else x");
  EXPECT_EQ(text(1.0 + if_else(x_ < y_, x_, y_)), "1 + (if x < y then x else y)");
  EXPECT_EQ(text(no_event(x_ < y_)), "noEvent(x < y)");
  EXPECT_EQ(text(smooth(1, if_else(no_event(x_ >= 0.0), x_ * x_, 0.0))),
            "smooth(1, if noEvent(x >= 0) then x^2 else 0)");
  EXPECT_EQ(text(!(x_ < y_ && y_ > 1.0)), "not (x < y and y > 1)");
  EXPECT_EQ(text(!(x_ < y_)), "not x < y");
  EXPECT_EQ(text((x_ < y_ || y_ > 1.0) && x_ > 3.0), "(x < y or y > 1) and x > 3");
  EXPECT_EQ(text(if_else(x_ < 0.0, 1.0, if_else(x_ < 1.0, 2.0, 3.0))),
            "if x < 0 then 1 else if x < 1 then 2 else 3");
  const Expr b(pool_, pool_.discrete(0));
  EXPECT_EQ(text({pool_, pool_.relation(Op::not_equal, b.id(), x_.id())}), "x <> b0");
}

TEST_F(Print, WritesTruthValuesWhereANumberWouldBeATypeError) {
  EXPECT_EQ(text(if_else(x_ < 0.0, Expr(1.0), y_ < 0.0)), "if x < 0 then true else y < 0");
  EXPECT_EQ(text(if_else(x_ < 0.0, 1.0, 0.0)), "if x < 0 then 1 else 0");
  EXPECT_EQ(to_string(pool_, if_else(x_ < 0.0, 1.0, 0.0).id(), name, {.is_logical = true}),
            "if x < 0 then true else false");
}

TEST_F(Print, NumbersReadBackToTheSameBits) {
  for (const double value : {0.1, 1.0 / 3.0, 1e300, 5e-324, 123456789012.0, 9007199254740993.0}) {
    const std::string number = text({pool_, pool_.constant(value)});
    EXPECT_EQ(std::strtod(number.c_str(), nullptr), value) << number;
  }
  EXPECT_EQ(text({pool_, pool_.constant(0.1)}), "0.1");
  EXPECT_EQ(text({pool_, pool_.constant(123456789012.0)}), "123456789012.0");
}

TEST_F(Print, DeepNestingCostsNoStackAndLongTextCanBeCut) {
  Expr deep = x_;
  for (int i = 0; i < 100000; ++i) deep = sin(deep);
  EXPECT_EQ(text(deep).size(), 100000 * std::string("sin()").size() + 1);
  Expr wide = x_;
  for (int i = 0; i < 200; ++i) wide = wide * sin(wide);
  const std::string cut = to_string(pool_, wide.id(), name, {.max_length = 50});
  EXPECT_EQ(cut.size(), 53U);
  EXPECT_EQ(cut.substr(50), "...");
}

}  // namespace
}  // namespace daedal

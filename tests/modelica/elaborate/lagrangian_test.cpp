// SPDX-License-Identifier: BSD-3-Clause
/// Lagrangian sections: the equations that they stand for, written out beside them, and mistakes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>
#include <string>

#include "modelica/same_equations.hpp"
#include "support/errors.hpp"

namespace daedal {
namespace {

using test::expect_same;
using testing::HasSubstr;

TEST(LagrangianSection, GivesThePendulum) {
  expect_same(R"(
    model Pendulum
      parameter Real m = 2, L = 3, g = 9.81;
      Real x, y;
    lagrangian
      coordinates x, y;
      kinetic m/2*(der(x)^2 + der(y)^2);
      potential m*g*y;
      constraint x^2 + y^2 = L^2 "rod";
    end Pendulum;)",
              R"(
    model Pendulum
      parameter Real m = 2, L = 3, g = 9.81;
      Real x, y, 'der(x)', 'der(y)', 'lambda[1]';
    equation
      der(x) = 'der(x)';
      der(y) = 'der(y)';
      m*der('der(x)') = -2*x*'lambda[1]';
      m*der('der(y)') = -m*g - 2*y*'lambda[1]';
      x^2 + y^2 = L^2;
    end Pendulum;)");
}

TEST(LagrangianSection, GivesTheFourBarWithItsOwnVelocitiesAndPoints) {
  const std::string head = R"(
    model FourBar
      parameter Real g = 9.81, a = 1, b = 3, c = 2.5, d = 3;
      Real th1, th2, th3, w1, w2, w3, x, y;)";
  const std::string same = R"(
      der(th1) = w1;
      w2 = der(th2);
      der(th3) = w3;
      x = a*cos(th1) + b/2*cos(th2);
      a*sin(th1) + b/2*sin(th2) = y;)";
  // Uniform bars of 1 kg/m, as in problems/four_bar.mo.
  expect_same(head + R"(
    equation)" + same +
                  R"(
    lagrangian
      coordinates th1, th2, th3;
      kinetic a^3/6*w1^2 + c^3/6*der(th3)^2;
      kinetic b/2*(der(x)^2 + der(y)^2) + b^3/24*w2^2;
      potential a^2/2*g*sin(th1) + b*g*y + c^2/2*g*sin(th3);
      constraint a*cos(th1) + b*cos(th2) - c*cos(th3) = d;
      constraint a*sin(th1) + b*sin(th2) - c*sin(th3) = 0;
    end FourBar;)",
              head + " Real 'lambda[1]', 'lambda[2]'; equation " + same + R"(
      (a^3/3 + b*a^2)*der(w1) + a*b^2/2*cos(th1 - th2)*der(w2) =
        -a*b^2/2*sin(th1 - th2)*w2^2 - (a/2 + b)*a*g*cos(th1)
        + a*sin(th1)*'lambda[1]' - a*cos(th1)*'lambda[2]';
      a*b^2/2*cos(th1 - th2)*der(w1) + b^3/3*der(w2) =
        a*b^2/2*sin(th1 - th2)*w1^2 - b^2/2*g*cos(th2)
        + b*sin(th2)*'lambda[1]' - b*cos(th2)*'lambda[2]';
      c^3/3*der(w3) = -c^2/2*g*cos(th3) - c*sin(th3)*'lambda[1]' + c*cos(th3)*'lambda[2]';
      a*cos(th1) + b*cos(th2) - c*cos(th3) = d;
      a*sin(th1) + b*sin(th2) - c*sin(th3) = 0;
    end FourBar;)");
}

TEST(LagrangianSection, TakesArraysLoopsAndForces) {
  // A chain of two masses on rods, pulled by what another equation determines.
  expect_same(R"(
    model Chain
      parameter Integer n = 2;
      parameter Real m[n] = {1, 2};
      Real x[n], y[n], pull;
    equation
      der(pull) = -pull;
    lagrangian
      coordinates x, y;
      kinetic sum(m[i]/2*(der(x[i])^2 + der(y[i])^2) for i in 1:n);
      for i in 1:n loop
        potential m[i]*9.81*y[i];
        force x[i] = -0.1*der(x[i]);
      end for;
      force x[n] = pull;
      constraint x[1]^2 + y[1]^2 = 1;
      for i in 2:n loop
        constraint (x[i] - x[i - 1])^2 + (y[i] - y[i - 1])^2 = 1 "rod";
      end for;
    end Chain;)",
              R"(
    model Chain
      Real 'x[1]', 'x[2]', 'y[1]', 'y[2]', pull, u1, u2, v1, v2, l1, l2;
    equation
      der(pull) = -pull;
      der('x[1]') = u1;
      der('x[2]') = u2;
      der('y[1]') = v1;
      der('y[2]') = v2;
      der(u1) = -0.1*u1 - 2*'x[1]'*l1 + 2*('x[2]' - 'x[1]')*l2;
      2*der(u2) = -0.1*u2 + pull - 2*('x[2]' - 'x[1]')*l2;
      der(v1) = -9.81 - 2*'y[1]'*l1 + 2*('y[2]' - 'y[1]')*l2;
      2*der(v2) = -2*9.81 - 2*('y[2]' - 'y[1]')*l2;
      'x[1]'^2 + 'y[1]'^2 = 1;
      ('x[2]' - 'x[1]')^2 + ('y[2]' - 'y[1]')^2 = 1;
    end Chain;)",
              test::Names::may_differ);
}

TEST(LagrangianSection, IsNoReservedWord) {
  expect_same(
      "model M Real lagrangian, kinetic; equation lagrangian = 1; kinetic = lagrangian; end M;",
      "model M Real lagrangian, kinetic; equation lagrangian = 1; kinetic = lagrangian; end M;");
}

/// A pendulum whose section is `section`, or with more declarations.
std::string pendulum(const std::string& section, const std::string& declared = "") {
  return "model Pendulum\n  parameter Real m = 1;\n  Real x, y;\n  " + declared + "\nlagrangian\n" +
         section + "end Pendulum;\n";
}

struct Mistake {
  const char* name;
  std::string text;
  int line;
  int column;
  std::string says;
};

class LagrangianMistake : public testing::TestWithParam<Mistake> {};

TEST_P(LagrangianMistake, IsNamedWithItsPlace) {
  const Error error = test::error_of<Error>([] { (void)parse_model(GetParam().text); });
  EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
  EXPECT_EQ(error.where().line, GetParam().line) << error.what();
  EXPECT_EQ(error.where().column, GetParam().column) << error.what();
}

const std::string good = "  coordinates x, y;\n  kinetic m/2*(der(x)^2 + der(y)^2);\n";

INSTANTIATE_TEST_SUITE_P(
    Sections, LagrangianMistake,
    testing::Values(
        Mistake{"Word", pendulum("  coordinates x, y;\n  kintic der(x)^2;\n"), 7, 3,
                "Did you mean 'kinetic'?"},
        Mistake{"FirstWord", pendulum("  coordinate x, y;\n  kinetic der(x)^2;\n"), 6, 3,
                "Did you mean 'coordinates'?"},
        Mistake{"EqualSign", pendulum("  coordinates x, y;\n  kinetic = der(x)^2;\n"), 7, 11,
                "as in 'kinetic m/2*der(x)^2;'"},
        Mistake{"EqualSignBehind", pendulum(good + "  potential V = x;\n", "Real V = x;"), 8, 15,
                "as in 'kinetic m/2*der(x)^2;'"},
        Mistake{"NoCoordinates", pendulum("  kinetic der(x)^2;\n"), 6, 3,
                "must name its coordinates"},
        Mistake{"NoKinetic", pendulum("  coordinates x, y;\n  potential y;\n"), 6, 3,
                "must state a kinetic energy"},
        Mistake{"Parameter", pendulum("  coordinates x, m;\n  kinetic der(x)^2;\n"), 6, 18,
                "A coordinate must be a Real variable"},
        Mistake{"Twice", pendulum("  coordinates x, y, x;\n  kinetic der(x)^2;\n"), 6, 21,
                "'x' is a coordinate already"},
        Mistake{"Unknown", pendulum("  coordinates x, z;\n  kinetic der(x)^2;\n"), 6, 18, "'z'"},
        Mistake{"NotGiven", pendulum(good + "  potential z*y;\n", "Real z(start = 1);"), 8, 3,
                "The potential energy depends on 'z', which is not a coordinate"},
        Mistake{"Circular", pendulum(good + "  potential p;\n", "Real p = 2*q, q = p + x;"), 8, 3,
                "defined by each other"},
        Mistake{"Acceleration", pendulum(good + "  kinetic der(v);\n", "Real v = der(x);"), 8, 3,
                "depends on accelerations, here of 'x'"},
        Mistake{"Nonholonomic", pendulum(good + "  constraint der(x) = y;\n"), 8, 3,
                "The constraint depends on velocities, here of 'x'"},
        Mistake{"NamedVelocity", pendulum(good + "  constraint v = y;\n", "Real v = der(x);"), 8, 3,
                "The constraint depends on velocities, here of 'x'"},
        Mistake{"EmptyConstraint", pendulum(good + "  constraint m = 1;\n"), 8, 3,
                "contains none of the coordinates: x, y"},
        Mistake{"NoEquality", pendulum(good + "  constraint x^2 + y^2 - 1;\n"), 8, 27,
                "'=' after the left side of the constraint"},
        Mistake{"ForceOnOther", pendulum(good + "  force z = 1;\n", "Real z = x;"), 8, 3,
                "with one of x, y"},
        Mistake{"ForceNowhere", pendulum(good + "  force 1;\n"), 8, 10,
                "'=' after the coordinate that the force acts on"},
        Mistake{"Vector", pendulum(good + "  potential {x, y};\n"), 8, 13,
                "A potential energy must be a number"},
        Mistake{"Lambda", pendulum(good + "  constraint x = 0;\n", "Real lambda = x;"), 8, 3,
                "give the model's own 'lambda' another name"},
        Mistake{"Condition",
                pendulum(good + "  if x > 0 then\n    potential y;\n  else\n    potential 0;\n  "
                                "end if;\n"),
                9, 5, "put it into the expression"},
        Mistake{"Undefined", pendulum(good + "  potential Library.lost(y);\n"), 8, 13,
                "'Library.lost'"}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace daedal

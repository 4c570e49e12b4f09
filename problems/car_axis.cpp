// SPDX-License-Identifier: BSD-3-Clause
#include "problems/problems.hpp"

namespace daedal::problems {

Problem car_axis() {
  ModelBuilder b("CarAxis");
  const Expr L = b.parameter("L", 1.0), L0 = b.parameter("L0", 0.5);
  const Expr eps = b.parameter("eps", 0.01), M = b.parameter("M", 10.0);
  const Expr r = b.parameter("r", 0.1), w = b.parameter("w", 10.0);
  const Expr xl = b.variable("xl"), yl = b.variable("yl", {.start = 0.5, .fixed = true});
  const Expr xr = b.variable("xr", {.start = 1.0});
  const Expr yr = b.variable("yr", {.start = 0.5, .fixed = true});
  const Expr vxl = b.variable("vxl", {.start = -0.5});
  const Expr vyl = b.variable("vyl", {.start = 0.0, .fixed = true});
  const Expr vxr = b.variable("vxr", {.start = -0.5});
  const Expr vyr = b.variable("vyr", {.start = 0.0, .fixed = true});
  const Expr lambda1 = b.variable("lambda1"), lambda2 = b.variable("lambda2");
  const Expr yb = r * sin(w * b.time());
  const Expr xb = sqrt(L * L - yb * yb);
  const Expr Ll = sqrt(xl * xl + yl * yl);
  const Expr Lr = sqrt(sqr(xr - xb) + sqr(yr - yb));
  const Expr k = eps * eps * M / 2;
  b.equation(der(xl) == vxl);
  b.equation(der(yl) == vyl);
  b.equation(der(xr) == vxr);
  b.equation(der(yr) == vyr);
  b.equation(k * der(vxl) == (L0 - Ll) * xl / Ll + lambda1 * xb + 2 * lambda2 * (xl - xr));
  b.equation(k * der(vyl) == (L0 - Ll) * yl / Ll + lambda1 * yb + 2 * lambda2 * (yl - yr) - k);
  b.equation(k * der(vxr) == (L0 - Lr) * (xr - xb) / Lr - 2 * lambda2 * (xl - xr));
  b.equation(k * der(vyr) == (L0 - Lr) * (yr - yb) / Lr - 2 * lambda2 * (yl - yr) - k);
  b.equation(xl * xb + yl * yb == 0, "road");
  b.equation(sqr(xl - xr) + sqr(yl - yr) == L * L, "axle");
  b.experiment({.start_time = 0.0, .stop_time = 3.0});
  return {.model = b.build(),
          .stop_time = 3.0,
          .end_values = {{"xl", 0.0493455784275240921},
                         {"yl", 0.496989460230008107},
                         {"xr", 1.04174252488542612},
                         {"yr", 0.373911027265365819},
                         {"vxl", -0.0770583684035920843},
                         {"vyl", 0.00744686659206841649},
                         {"vxr", 0.0175568157535417366},
                         {"vyr", 0.770341043779601063},
                         {"lambda1", -0.00473688659085332652},
                         {"lambda2", -0.00110468033125956584}},
          .trusted = 1e-15};
}

}  // namespace daedal::problems

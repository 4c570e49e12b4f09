# SPDX-License-Identifier: BSD-3-Clause
# The problems of integrators_bench.cpp by the integrators of R's deSolve (compiled Fortran under
# interpreted right-hand sides, so that its times are an upper bound). Prints "absent" without it.
#   Rscript bench/peers.R
if (!requireNamespace("deSolve", quietly = TRUE)) {
  cat("deSolve absent\n")
  quit(status = 0)
}

mu <- 1e6
g <- 9.81
problems <- list(
  VanDerPol = list(
    x0 = c(2, 0), t1 = 2, atol_over_rtol = 1, methods = c("radau", "daspk"),
    rhs = function(t, x, p) list(c(x[2], mu * ((1 - x[1]^2) * x[2] - x[1])))),
  Robertson = list(
    x0 = c(1, 0, 0), t1 = 40, atol_over_rtol = 1e-6, methods = c("radau", "daspk"),
    rhs = function(t, x, p) {
      fast <- 3e7 * x[2]^2
      exchange <- 0.04 * x[1] - 1e4 * x[2] * x[3]
      list(c(-exchange, exchange - fast, fast))
    }),
  Pendulum = list(
    x0 = c(1, 0, 0, 0), t1 = 10, atol_over_rtol = 1, methods = c("radau", "daspk", "ode45"),
    rhs = function(t, x, p) {
      force <- (x[3]^2 + x[4]^2 - g * x[2]) / (x[1]^2 + x[2]^2)
      list(c(x[3], x[4], -force * x[1], -force * x[2] - g))
    }))

for (name in names(problems)) {
  problem <- problems[[name]]
  for (method in problem$methods) for (digits in c(5, 8)) {
    rtol <- 10^-digits
    seconds <- system.time(
      out <- deSolve::ode(problem$x0, c(0, problem$t1), problem$rhs, NULL, method = method,
                          rtol = rtol, atol = rtol * problem$atol_over_rtol))[["elapsed"]]
    cat(sprintf("%s/%s/%d %.0f us, %d evaluations, x = %.12g\n", method, name, digits,
                1e6 * seconds, attr(out, "istate")[3], out[nrow(out), 2]))
  }
}

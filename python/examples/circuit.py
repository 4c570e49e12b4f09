# SPDX-License-Identifier: BSD-3-Clause
"""A rectifier with smoothing: node voltages and branch currents as they are drawn, index 1.

A source, a diode, a capacitor parallel to a load. The diode is its exponential; nothing is solved for by
hand. The steady ripple follows from a sweep over the capacitance.
"""
import numpy as np

import daedal

FREQUENCY = 50.0


def rectifier(t, y, yp, p):
    source, output, diode_current = y
    return [source - 10.0 * np.sin(2 * np.pi * FREQUENCY * t),
            diode_current - 1e-9 * (np.exp((source - output) / 0.05) - 1.0),
            p.capacitance * yp[1] + output / p.load - diode_current]


def main():
    model = daedal.Model.from_function(rectifier, [0, 0, 0], names=["source", "output", "current"],
                                       parameters={"capacitance": 1e-3, "load": 100.0})
    print(model.analyze(numerical=False))
    problem = model.prepare(rtol=1e-6)
    times = np.linspace(0.16, 0.2, 401)
    result = problem.solve((0, 0.2), t_eval=times)
    print(f"{result.reason}: output between {result['output'].min():.3f} and {result['output'].max():.3f} V")

    capacitances = np.array([2e-4, 5e-4, 1e-3, 2e-3])
    sweep = problem.sweep({"capacitance": capacitances}, (0, 0.2), t_eval=times)
    ripple = np.ptp(sweep["output"], axis=1)
    for capacitance, volts in zip(capacitances, ripple):
        print(f"{1e6 * capacitance:6.0f} uF: ripple {volts:.3f} V")
    return result, ripple


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""A batch reactor with prescribed temperature: index 2.

A exothermic reaction A -> B; the temperature shall follow a given profile, and the cooling that does it is
the unknown. What is prescribed is differentiated once to find the cooling: index 2, and the start values
of temperature and cooling follow.
"""
import numpy as np

import daedal


def main():
    reactor = daedal.Model("BatchReactor")
    c = reactor.variable("c", start=1.0, fixed=True, description="concentration of A")
    temperature = reactor.variable("temperature", start=300.0, nominal=300.0, unit="K")
    cooling = reactor.variable("cooling", unit="K/s", description="heat taken out")
    rate = reactor.parameter("rate", 1e6) * np.exp(-5000.0 / temperature) * c
    reactor.add(c.der() == -rate, name="balance of A")
    reactor.add(temperature.der() == 80.0 * rate - cooling, name="balance of heat")
    profile = 320.0 + 40.0 * (1.0 - daedal.exp(-reactor.t / 5.0))
    reactor.add(temperature == profile, name="temperature control")

    analysis = reactor.analyze()
    print(f"index {analysis.index}, {analysis.degrees_of_freedom} free initial value, start at "
          f"{analysis.start['temperature']:.0f} K with cooling {analysis.start['cooling']:.3f} K/s")
    result = reactor.solve((0, 30), rtol=1e-8)
    print(f"{result.reason}: {100 * (1 - result.final('c')):.1f} % converted; most cooling "
          f"{result['cooling'].max():.2f} K/s at t = {result.t[result['cooling'].argmax()]:.1f} s")
    return analysis, result


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Ways to treat the constraint of a pendulum, side by side: error, drift, work."""
import sys

from pendulum import pendulum

import daedal


def main(file=None):
    model = daedal.Model.from_function(pendulum, [1, 0, 0, 0, 0], names=["x", "h", "vx", "vh", "tension"])
    table = daedal.compare(model, (0, 10), tolerances=[1e-4, 1e-6, 1e-8],
                           methods=["index1", "baumgarte:alpha=10", "ggl", "orthogonal-projection",
                                    "dummy-derivatives"])
    print(table)
    if file is not None:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5))
        table.plot_work_precision(ax=left)
        table.plot_drift(ax=right)
        figure.savefig(file)
    return table


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)

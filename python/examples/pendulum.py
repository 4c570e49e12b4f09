# SPDX-License-Identifier: BSD-3-Clause
"""A pendulum in Cartesian coordinates: index 3, from a residual of five lines."""
import daedal


def pendulum(t, y, yp):
    x, h, vx, vh, tension = y
    return [yp[0] - vx, yp[1] - vh,
            yp[2] + tension * x, yp[3] + tension * h + 9.81,
            x**2 + h**2 - 1]


def main():
    result = daedal.solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0], names=["x", "h", "vx", "vh", "tension"],
                              rtol=1e-8)
    energy = 0.5 * (result["vx"]**2 + result["vh"]**2) + 9.81 * result["h"]
    print(f"index {result.index}, solved by {result.method} with {result.integrator}")
    print(f"rod kept to {result.constraints[0]:.1e}, energy to {abs(energy - energy[0]).max():.1e}")
    print(f"greatest tension {result['tension'].max():.4f} (three times the weight)")
    return result


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""A parallelogram of three unit rods that passes through flat, singular positions.

Where all rods lie on one line the constraints lose rank and the mechanism could fold over into an
antiparallelogram. The motion goes on smoothly: the singular positions are seen and passed.
"""
import numpy as np

import daedal


def main():
    linkage = daedal.Lagrangian("Parallelogram")
    start = 0.6
    # The joints A and B; the rods OA and CB turn about O = (0, 0) and C = (2, 0), AB has length 2.
    (ax, vax), (ay, vay) = (linkage.coordinate(name, start=value) for name, value in
                            (("ax", np.cos(start)), ("ay", np.sin(start))))
    (bx, vbx), (by, vby) = (linkage.coordinate(name, start=value) for name, value in
                            (("bx", 2 + np.cos(start)), ("by", np.sin(start))))
    for vx, vy in ((vax, vay), (vbx, vby)):
        linkage.kinetic_energy(0.5 * (vx**2 + vy**2))
    linkage.constraint(ax**2 + ay**2 == 1, name="left rod")
    linkage.constraint((bx - 2)**2 + by**2 == 1, name="right rod")
    linkage.constraint((bx - ax)**2 + (by - ay)**2 == 4, name="coupler")
    speed = 3.0
    turning = {"der(ax)": -speed * np.sin(start), "der(ay)": speed * np.cos(start),
               "der(bx)": -speed * np.sin(start), "der(by)": speed * np.cos(start)}

    print(f"mobility {linkage.analyze().mobility}")
    result = linkage.solve((0, 4), start=turning, rtol=1e-8, watch_singularities=True)
    # Without gravity the rods turn uniformly, in parallel.
    angle = start + speed * result.t
    error = np.abs(result[["ax", "ay"]] - [np.cos(angle), np.sin(angle)]).max()
    print(f"{result.reason} by {result.method}; error {error:.1e}; constraints kept to "
          f"{max(result.constraints.values()):.1e}")
    for note in result.notes + result.warnings:
        print("-", note)
    return result, error


if __name__ == "__main__":
    main()

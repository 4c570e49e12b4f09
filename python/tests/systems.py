# SPDX-License-Identifier: BSD-3-Clause
"""Systems that several tests solve, with solutions from mathematics or the literature."""
import math

import numpy as np

GRAVITY = 9.81


def pendulum(t, y, yp):
    x, h, vx, vh, tension = y
    return [yp[0] - vx, yp[1] - vh, yp[2] + tension * x, yp[3] + tension * h + GRAVITY, x**2 + h**2 - 1]


def jacobi_sn(u, m):
    """sn(u | m) by the arithmetic-geometric mean (Abramowitz, Stegun 16.4)."""
    a, c, b = [1.0], [math.sqrt(m)], math.sqrt(1.0 - m)
    for _ in range(6):  # converges quadratically
        c.append(0.5 * (a[-1] - b))
        a, b = a + [0.5 * (a[-1] + b)], math.sqrt(a[-1] * b)
    phi = 2.0 ** (len(a) - 1) * a[-1] * u
    for n in range(len(a) - 1, 0, -1):
        phi = 0.5 * (phi + math.asin(c[n] / a[n] * math.sin(phi)))
    return math.sin(phi)


def complete_k(m):
    """K(m) by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1.0 - m)
    for _ in range(6):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return math.pi / (a + b)


def pendulum_position(t):
    """Of the rod of length 1 that starts horizontal at rest: sin(angle/2) = k sn(K - omega t)."""
    m = 0.5  # sin^2 of half the amplitude of 90 degrees
    half = math.sqrt(m) * jacobi_sn(complete_k(m) + math.sqrt(GRAVITY) * t, m)
    angle = 2.0 * math.asin(half)
    return np.array([math.sin(angle), -math.cos(angle)])


# Andrews' squeezing mechanism (Hairer, Wanner, Solving Ordinary Differential Equations II, VII.7; initial
# and end values are those of problems/squeezer.cpp, from the test set of Mazzia and Magherini).
SQUEEZER_START = [-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
                  0.487364979543842550, -0.222668390165885885, 1.23054744454982119]
SQUEEZER_END = [15.8107711951537070971, -15.7563710584118394697, 0.0408222401196458049,
                -0.534730116342079593770, 0.524409965879954069371, 0.534730116342079593770,
                1.04808074104193787307, 1139.92030225910606, -1424.37929517754007, 11.0329119106185937,
                19.2933741050320408, 0.573569914829502454, -19.2933741050320408, 0.323179149249130875]


def squeezer(t, y, yp):
    m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
    i1, i2, i3, i4, i5, i6, i7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
    xa, ya, xb, yb, xc, yc = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
    c0, l0, torque = 4530.0, 0.07785, 0.033
    d, da, e, ea, rr, ra, ss, sa, sb = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043
    sc, sd, ta, tb, u, ua, ub, zf, zt, fa = (0.018, 0.02, 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02,
                                             0.04, 0.01421)
    q, v, lam = y[:7], y[7:14], y[14:]
    beta, theta, gamma, phi, delta, omega, epsilon = q
    mass = np.zeros((7, 7))
    mass[0, 0] = m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * np.cos(theta) + da**2) + i1 + i2
    mass[0, 1] = mass[1, 0] = m2 * (da**2 - da * rr * np.cos(theta)) + i2
    mass[1, 1] = m2 * da**2 + i2
    mass[2, 2] = m3 * (sa**2 + sb**2) + i3
    mass[3, 3] = m4 * (e - ea)**2 + i4
    mass[3, 4] = mass[4, 3] = m4 * ((e - ea)**2 + zt * (e - ea) * np.sin(phi)) + i4
    mass[4, 4] = (m4 * (zt**2 + 2 * zt * (e - ea) * np.sin(phi) + (e - ea)**2) + m5 * (ta**2 + tb**2)
                  + i4 + i5)
    mass[5, 5] = m6 * (zf - fa)**2 + i6
    mass[5, 6] = mass[6, 5] = m6 * ((zf - fa)**2 - u * (zf - fa) * np.sin(omega)) + i6
    mass[6, 6] = (m6 * ((zf - fa)**2 - 2 * u * (zf - fa) * np.sin(omega) + u**2) + m7 * (ua**2 + ub**2)
                  + i6 + i7)
    spring = np.array([sd * np.cos(gamma) + sc * np.sin(gamma) + xb - xc,
                       sd * np.sin(gamma) - sc * np.cos(gamma) + yb - yc])
    length = np.sqrt(spring @ spring)
    fx, fy = -c0 * (length - l0) / length * spring
    force = np.array([
        torque - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * np.sin(theta),
        m2 * da * rr * v[0]**2 * np.sin(theta),
        fx * (sc * np.cos(gamma) - sd * np.sin(gamma)) + fy * (sd * np.cos(gamma) + sc * np.sin(gamma)),
        m4 * zt * (e - ea) * v[4]**2 * np.cos(phi),
        -m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * np.cos(phi),
        -m6 * u * (zf - fa) * v[6]**2 * np.cos(omega),
        m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * np.cos(omega)])
    x = rr * np.cos(beta) - d * np.cos(beta + theta)
    h = rr * np.sin(beta) - d * np.sin(beta + theta)
    g = np.array([x - ss * np.sin(gamma) - xb, h + ss * np.cos(gamma) - yb,
                  x - e * np.sin(phi + delta) - zt * np.cos(delta) - xa,
                  h + e * np.cos(phi + delta) - zt * np.sin(delta) - ya,
                  x - zf * np.cos(omega + epsilon) - u * np.sin(epsilon) - xa,
                  h - zf * np.sin(omega + epsilon) + u * np.cos(epsilon) - ya])
    jacobian = np.zeros((6, 7))
    jacobian[::2, 0] = -rr * np.sin(beta) + d * np.sin(beta + theta)
    jacobian[1::2, 0] = rr * np.cos(beta) - d * np.cos(beta + theta)
    jacobian[::2, 1] = d * np.sin(beta + theta)
    jacobian[1::2, 1] = -d * np.cos(beta + theta)
    jacobian[0:2, 2] = -ss * np.cos(gamma), -ss * np.sin(gamma)
    jacobian[2:4, 3] = -e * np.cos(phi + delta), -e * np.sin(phi + delta)
    jacobian[2:4, 4] = (-e * np.cos(phi + delta) + zt * np.sin(delta),
                        -e * np.sin(phi + delta) - zt * np.cos(delta))
    jacobian[4:6, 5] = zf * np.sin(omega + epsilon), -zf * np.cos(omega + epsilon)
    jacobian[4:6, 6] = (zf * np.sin(omega + epsilon) - u * np.cos(epsilon),
                        -zf * np.cos(omega + epsilon) - u * np.sin(epsilon))
    return np.concatenate([yp[:7] - v, mass @ yp[7:14] - force + jacobian.T @ lam, g])

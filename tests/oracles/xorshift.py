#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers of xorshift64*, xorshift128+ and xorshift1024* in integer arithmetic.

The recurrences are those of Vigna (ACM TOMS 42 (2016) 30; J. Comput. Appl. Math. 315 (2017) 175).
Words are two signed 32-bit integers, the lower first; a number is the word as a signed 64-bit
integer, divided by 2^64, plus 1/2. As the Modelica Standard Library does it, the first two keep the
scrambled word in their state, and the last counts its words modulo 16. Figures of tests/modelica/library/random_numbers_test.cpp.
"""

MASK = 2**64 - 1


def signed(value, bits):
    return value - 2**bits if value >= 2**(bits - 1) else value


def words(state):
    return [(low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << 32
            for low, high in zip(state[::2], state[1::2])]


def halves(numbers):
    return [signed(part, 32) for n in numbers for part in (n & 0xFFFFFFFF, n >> 32)]


def number(word):
    return float(signed(word, 64)) * 2.0**-64 + 0.5


def xorshift64star(state):
    x = words(state)[0]
    x ^= x >> 12
    x ^= x << 25 & MASK
    x ^= x >> 27
    x = x * 2685821657736338717 & MASK
    return number(x), halves([x])


def xorshift128plus(state):
    s1, s0 = words(state)
    s1 ^= s1 << 23 & MASK
    new = (s1 ^ s0 ^ (s1 >> 17) ^ (s0 >> 26)) + s0 & MASK
    return number(new), halves([s0, new])


def xorshift1024star(state):
    s, p = words(state[:32]), state[32] % 16
    s0 = s[p]
    p = (p + 1) % 16
    s1 = s[p]
    s1 ^= s1 << 31 & MASK
    s1 ^= s1 >> 11
    s0 ^= s0 >> 30
    s[p] = s0 ^ s1
    return number(s[p] * 1181783497276652981 & MASK), halves(s) + [p]


def run(generator, state, n):
    for _ in range(n):
        r, state = generator(state)
    return r, state


if __name__ == "__main__":
    for n in (1, 3):
        print(n, *run(xorshift64star, [-139195358, -797266357], n))
        print(n, *run(xorshift128plus, [-139195358, -797266357, -1912715464, -800614040], n))
    print(17, *run(xorshift1024star, list(range(1, 33)) + [-2], 17))
    print("seeds 10, 67867967:", run(xorshift64star, [10, 67867967], 10)[1])
    # The impure generator: 33 halves of numbers of xorshift64* in a row.
    state = []
    for n in range(10, 27):
        state += run(xorshift64star, [715827883, 67867967], n)[1]
    for n in range(1, 7):
        print("impure", n, run(xorshift1024star, state[:33], n)[0])

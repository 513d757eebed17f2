"""Prints the sample stream of trainer/loader/sample_stream.h, written anew from its description; sample_stream_test.cpp holds the output.

    python3 print_sample_stream.py

Feistel network of 8 rounds over 2 * half bits, half = max(3, ceil(bits(n - 1) / 2)); round r replaces (left, right) by
(right, left xor the upper `half` bits of mix(right + key + r * golden)); cycle walking; mix is SplitMix64's output function.
Windows: the epoch's blocks permuted by key mix(k + 1), the last one left out when it is short; each window of `blocks` of them permuted
by mix(k + 2 + window); all of it moved round by mix(k) mod n, where k is the epoch's key.
Repeats: an epoch's places are those of whole factors, picture by picture; then those of what is beyond, in 1/65536, as many as their sum
rounds to; then those of the share. The latter two are dealt out by points on a ring of weights, evenly spaced, the first one at
permute(0 or 1, length, ~seed + epoch).
"""
import bisect
import itertools

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15


def mix(x):
    x %= WORD
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB % WORD
    return x ^ x >> 31


def permute(i, n, key):
    half = max(3, -(-(n - 1).bit_length() // 2))
    key = mix(key + GOLDEN)
    while True:
        left, right = divmod(i, 2**half)
        for r in range(1, 9):
            left, right = right, left ^ mix(right + key + r * GOLDEN) >> 64 - half
        i = left << half | right
        if i < n:
            return i


def stream(position, samples, seed):
    epoch, i = divmod(position, samples)
    return epoch, permute(i, samples, mix(seed + GOLDEN) + epoch)


def windowed(position, samples, seed, block, blocks):
    epoch, i = divmod(position, samples)
    key = mix(seed + GOLDEN) + epoch
    starts = list(range(0, samples, block))
    whole = samples // block
    order = [permute(b, whole, mix(key + 1)) for b in range(whole)] + list(range(whole, len(starts)))
    laid_out = [s for b in order for s in range(starts[b], min(starts[b] + block, samples))]
    window = i // (block * blocks)
    inside = laid_out[window * block * blocks :][: block * blocks]
    chosen = inside[permute(i - window * block * blocks, len(inside), mix(key + 2 + window))]
    return (chosen + mix(key) % samples) % samples


def dealt(points, weights, turn, key):
    """Pictures that the points on the ring choose."""
    length = sum(weights)
    begin, ends = permute(turn % length, length, key), list(itertools.accumulate(weights))
    return [bisect.bisect_right(ends, (begin + i * length // points) % length) for i in range(points)]


def rounded(number):
    """Halves away from 0."""
    return int(number + 0.5)


def places(epoch, factors, seed, weights=(), share=0):
    """(picture, repeat) of each place of an epoch, before they are permuted."""
    key = (-1 - seed + epoch) % WORD
    result = [(picture, repeat) for picture, factor in enumerate(factors) for repeat in range(int(factor))]
    beyond = [rounded(65536 * (factor - int(factor))) for factor in factors]
    parts = rounded(sum(beyond) / 65536)
    whole = [int(factor) for factor in factors]
    drawn = dealt(parts, beyond, 0, key) if parts else []
    result += [(picture, whole[picture]) for picture in drawn]
    further = rounded(share / (1 - share) * len(result)) if sum(weights) else 0
    drawn = dealt(further, weights, 1, key) if further else []
    return result + [(picture, whole[picture] + 1 + i) for i, picture in enumerate(drawn)]


def repeated(position, factors, seed, weights=(), share=0):
    """epoch, picture, repeat at a position of the stream."""
    epoch, place = stream(position, len(places(0, factors, seed, weights, share)), seed)
    return (epoch, *places(epoch, factors, seed, weights, share)[place])


if __name__ == "__main__":
    print([stream(p, 7, 1)[1] for p in range(21)])
    print([stream(p, 117266, 42)[1] for p in (0, 1, 117265, 117266, 10**9, 10**12)])
    print([permute(i, 2**63 - 25, 5) for i in (0, 1, 2**63 - 26)])
    print([windowed(p, 17, 3, 2, 3) for p in range(34)])
    factors, weights = [1, 2.75, 1.5, 1, 1.25], [0, 0, 0, 3, 1]
    for epoch in (0, 1):
        print(places(epoch, factors, 3))
        print(places(epoch, factors, 3, weights, 0.25))
    print([repeated(p, factors, 3, weights, 0.25)[1:] for p in range(24)])
    print([windowed(p, 1000, 7, 64, 4) for p in (0, 1, 255, 256, 999, 1000, 10**6)])

"""Prints the sample stream of trainer/loader/sample_stream.h, written anew from its description; sample_stream_test.cpp holds the output.

    python3 print_sample_stream.py

Feistel network of 8 rounds over 2 * half bits, half = max(3, ceil(bits(n - 1) / 2)); round r replaces (left, right) by
(right, left xor the upper `half` bits of mix(right + key + r * golden)); cycle walking; mix is SplitMix64's output function.
Windows: the epoch's blocks permuted by key mix(k + 1), the last one left out when it is short; each window of `blocks` of them permuted
by mix(k + 2 + window); all of it moved round by mix(k) mod n, where k is the epoch's key.
"""
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


if __name__ == "__main__":
    print([stream(p, 7, 1)[1] for p in range(21)])
    print([stream(p, 117266, 42)[1] for p in (0, 1, 117265, 117266, 10**9, 10**12)])
    print([permute(i, 2**63 - 25, 5) for i in (0, 1, 2**63 - 26)])
    print([windowed(p, 17, 3, 2, 3) for p in range(34)])
    print([windowed(p, 1000, 7, 64, 4) for p in (0, 1, 255, 256, 999, 1000, 10**6)])

"""AES-256 (FIPS 197) in the counter mode that GCM has (NIST SP 800-38D), with Python's standard library."""


def doubled(a):
    return a << 1 & 255 ^ (0x1B if a & 128 else 0)


def boxes():
    """The substitution box, by the powers of 3 and of its inverse."""
    box, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= doubled(p)
        for shift in (1, 2, 4):
            q ^= q << shift & 255
        q ^= 9 if q & 128 else 0
        turned = q << 8 | q
        box[p] = (q ^ turned >> 7 ^ turned >> 6 ^ turned >> 5 ^ turned >> 4) & 255 ^ 0x63
        if p == 1:
            return box


BOX = boxes()


def round_keys(key):
    words, power = [key[i : i + 4] for i in range(0, 32, 4)], 1
    for i in range(8, 60):
        word = words[-1]
        if i % 4 == 0:
            word = bytes(BOX[byte] for byte in (word if i % 8 else word[1:] + word[:1]))
        if i % 8 == 0:
            word, power = bytes([word[0] ^ power]) + word[1:], doubled(power)
        words.append(bytes(a ^ b for a, b in zip(words[-8], word)))
    return [b"".join(words[i : i + 4]) for i in range(0, 60, 4)]


def encrypted(block, keys):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for number, key in enumerate(keys[1:], 1):
        state = [BOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < len(keys) - 1:
            columns = [state[i : i + 4] for i in range(0, 16, 4)]
            state = [a ^ doubled(a ^ c[(i + 1) % 4]) ^ c[0] ^ c[1] ^ c[2] ^ c[3] for c in columns for i, a in enumerate(c)]
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


def counter_mode(key, nonce, data):
    keys, out = round_keys(key), bytearray()
    for number in range(0, len(data), 16):
        stream = encrypted(nonce + (number // 16 + 2).to_bytes(4, "big"), keys)
        out += bytes(a ^ b for a, b in zip(data[number : number + 16], stream))
    return bytes(out)

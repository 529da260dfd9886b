"""The core's random numbers are those of Philox4x64-10, as NumPy has it, and look uniform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from arcwise import _core_testing
from support.chi_squared import FALSE_ALARM_RATE, assert_follows

WORDS = st.integers(0, 2**64 - 1)


def numpy_philox(counter: int, key: list[int], count: int) -> list[int]:
    """Return the words from a counter on; NumPy adds one to its counter before each block."""
    before = (counter - 1) % 2**256
    words = [before >> 64 * place & 2**64 - 1 for place in range(4)]
    generator = np.random.Philox(
        counter=np.array(words, dtype=np.uint64), key=np.array(key, dtype=np.uint64)
    )
    numbers: list[int] = generator.random_raw(count).tolist()
    return numbers


def random_bits(seed: int, stream: int, count: int) -> np.ndarray:
    out = np.zeros(count, dtype=np.uint64)
    _core_testing.random_bits(seed, stream, out)
    return out


@given(st.tuples(WORDS, WORDS, WORDS, WORDS), st.tuples(WORDS, WORDS))
def test_a_block_is_the_one_numpy_computes(counter: tuple[int, ...], key: tuple[int, ...]) -> None:
    number = sum(word << 64 * place for place, word in enumerate(counter))
    assert list(_core_testing.philox(list(counter), list(key))) == numpy_philox(
        number, list(key), 4
    )


def test_known_answers() -> None:
    # From the test vectors (kat_vectors) of the Random123 library, by the authors of the paper.
    assert [f"{word:016x}" for word in _core_testing.philox([0] * 4, [0] * 2)] == [
        "16554d9eca36314c",
        "db20fe9d672d0fdc",
        "d7e772cee186176b",
        "7e68b68aec7ba23b",
    ]
    full = 2**64 - 1
    assert [f"{word:016x}" for word in _core_testing.philox([full] * 4, [full] * 2)] == [
        "87b092c3013fe90b",
        "438c3c67be8d0224",
        "9cc7d7c69cd777b6",
        "a09caebf594f0ba0",
    ]


@given(WORDS, WORDS, st.integers(1, 23))
def test_a_stream_counts_from_zero(seed: int, stream: int, count: int) -> None:
    assert random_bits(seed, stream, count).tolist() == numpy_philox(0, [seed, stream], count)


def test_bytes_are_uniform() -> None:
    for shift in (0, 11, 56):
        values = (random_bits(1, 2, 100_000) >> np.uint64(shift) & np.uint64(255)).tolist()
        assert_follows(values, dict.fromkeys(range(256), 1 / 256))


@pytest.mark.parametrize(("one", "other"), [((1, 0), (1, 1)), ((1, 0), (2, 0)), ((1, 2), (2, 1))])
def test_streams_do_not_resemble_each_other(one: tuple[int, int], other: tuple[int, int]) -> None:
    # Bits that agree: half of them, give or take.
    count = 20_000
    differing = random_bits(*one, count) ^ random_bits(*other, count)
    ones = sum(int(word).bit_count() for word in differing)
    statistic = (ones - 32 * count) ** 2 / (16 * count)
    assert chi2.sf(statistic, 1) > FALSE_ALARM_RATE

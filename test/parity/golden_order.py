"""Order of interleave without shuffle, and shapes of batches."""

import itertools
import random

import tensorflow as tf

from golden_io import write_json

COUNTS = [
    [1],
    [0],
    [5],
    [3, 3],
    [1, 4],
    [4, 1],
    [0, 3],
    [3, 0],
    [0, 0, 0],
    [2, 2, 2],
    [1, 2, 3],
    [3, 2, 1],
    [0, 5, 0, 2],
    [5, 0, 0, 1, 3],
    [4, 4, 4, 4],
    [7, 1, 1, 7],
    [1, 1, 1, 1, 1, 1],
    [6, 5, 4, 3, 2, 1],
    [1, 2, 3, 4, 5, 6],
    [0, 1, 0, 2, 0, 3, 0],
    [10, 3, 7],
    [2, 9, 0, 4, 6],
]
CYCLES = [1, 2, 3, 4, 5, 8]
BLOCKS = [1, 2, 3, 5]


def interleave(counts, cycle, block, parallel):
    """Order as [[shard, record], ...]; element value = shard * 1000 + record."""

    def shard(index):
        return tf.data.Dataset.range(tf.gather(sizes, index)).map(lambda record: index * 1000 + record)

    sizes = tf.constant(counts, tf.int64)
    options = {} if parallel is None else {"num_parallel_calls": parallel, "deterministic": True}
    data = tf.data.Dataset.range(len(counts)).interleave(shard, cycle_length=cycle, block_length=block, **options)
    return [[int(value) // 1000, int(value) % 1000] for value in data.as_numpy_iterator()]


def interleave_cases():
    yield from itertools.product(COUNTS, CYCLES, BLOCKS)
    draw = random.Random(7)
    for _ in range(60):
        counts = [draw.choice([0, 0, 1, 2, 3, 5, 8]) for _ in range(draw.randint(1, 9))]
        yield counts, draw.randint(1, 10), draw.randint(1, 6)


def write_interleave():
    cases = []
    for counts, cycle, block in interleave_cases():
        # TensorFlow refuses more parallel calls than shards in the cycle.
        for parallel in (None, min(2, cycle)):
            cases.append(
                {
                    "counts": counts,
                    "cycleLength": cycle,
                    "blockLength": block,
                    "parallel": parallel,
                    "order": interleave(counts, cycle, block, parallel),
                }
            )
    write_json("interleave.json", cases)


def write_batches():
    cases = []
    for count, size, drop, repeat in [
        (100, 7, False, 1),
        (100, 7, True, 1),
        (7, 7, False, 1),
        (7, 7, True, 1),
        (3, 7, False, 1),
        (3, 7, True, 1),
        (0, 7, False, 1),
        (10, 4, False, 3),
        (10, 4, True, 3),
        (5, 1, False, 1),
    ]:
        data = tf.data.Dataset.range(count).repeat(repeat).batch(size, drop_remainder=drop)
        batches = [batch.tolist() for batch in data.as_numpy_iterator()]
        cases.append(
            {
                "range": count,
                "repeat": repeat,
                "batch": size,
                "dropRemainder": drop,
                "shapes": [[len(batch)] for batch in batches],
                "values": batches,
            }
        )
    write_json("batch.json", cases)


def write():
    write_batches()
    write_interleave()

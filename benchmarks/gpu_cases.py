"""Data and models that the benchmark of graphics processors takes, and what a device can do."""

from __future__ import annotations

import numpy as np

import arcwise


def network_data(nodes: int, rows: int, seed: int) -> dict[str, np.ndarray]:
    """Rows of a random network of yes and no, with up to three parents of a node."""
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for node in range(nodes):
        parents = rng.choice(node, size=min(node, int(rng.integers(0, 4))), replace=False)
        score = rng.normal(0, 0.5) + np.zeros(rows)
        for parent in parents:
            score += rng.normal(0, 1.5) * (2 * columns[parent] - 1)
        columns.append((rng.random(rows) < 1 / (1 + np.exp(-score))).astype(np.int64))
    order = rng.permutation(nodes)
    return {f"x{place:02d}": columns[node] for place, node in enumerate(order)}


def leveled_data(nodes: int, rows: int, levels: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Rows of several levels: those of a random network of yes and no, and chance."""
    rng = np.random.default_rng(seed)
    return {
        name: (values + rng.integers(0, levels - 1, rows)) % levels if levels > 2 else values
        for name, values in network_data(nodes, rows, seed).items()
    }


def gaussian_data(nodes: int, rows: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Columns that depend on up to three of those before them."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((nodes, rows))
    for node in range(1, nodes):
        for parent in rng.choice(node, size=min(node, 3), replace=False):
            values[node] += rng.normal(0, 0.4) * values[parent]
    values /= values.std(axis=1)[:, np.newaxis]  # else they would grow along the nodes
    return {f"x{node:03d}": values[node] for node in range(nodes)}


def network_model(nodes: int, rows: int, max_indegree: int, seed: int = 1) -> arcwise.Model:
    data = network_data(nodes, rows, seed)
    return arcwise.Model(data, "bdeu", max_indegree=max_indegree)


def model_with_candidates(nodes: int, rows: int, count: int, seed: int = 1) -> arcwise.Model:
    """Every node with those candidates that it is most correlated with."""
    data = network_data(nodes, rows, seed)
    names = list(data)
    matrix = np.abs(np.corrcoef(np.array([data[name] for name in names])))
    np.fill_diagonal(matrix, -1.0)
    candidates = {
        name: [names[other] for other in np.argsort(-matrix[place])[:count]]
        for place, name in enumerate(names)
    }
    return arcwise.Model(data, "bdeu", candidates=candidates)


class Limits:
    """What the device can do at most, measured."""

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        source = cupy.random.random(1 << 29, dtype=cupy.float64)  # 4 GiB
        target = cupy.empty_like(source)
        for _ in range(2):
            cupy.copyto(target, source)
        self.bandwidth = 0.0
        for _ in range(5):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            cupy.copyto(target, source)
            end.record()
            end.synchronize()
            taken = cupy.cuda.get_elapsed_time(begin, end) / 1e3
            self.bandwidth = max(self.bandwidth, 2 * source.nbytes / taken)
        del source, target
        cupy.get_default_memory_pool().free_all_blocks()
        code = """extern "C" __global__ void busy(double* out, int count) {
            double a = threadIdx.x, b = 1.0 + blockIdx.x, c = 2.0, d = 3.0;
            for (int i = 0; i < count; ++i) {
                a = a * 0.999 + 1e-9; b = b * 0.998 + 1e-9; c = c * 0.997 + 1e-9;
                d = d * 0.996 + 1e-9;
            }
            out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
        }"""
        kernel = cupy.RawKernel(code, "busy")
        blocks = 132 * 8
        out = cupy.empty(blocks * 256)
        self.products = 0.0
        for _ in range(3):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            kernel((blocks,), (256,), (out, np.int32(20_000)))
            end.record()
            end.synchronize()
            taken = cupy.cuda.get_elapsed_time(begin, end) / 1e3
            self.products = max(self.products, blocks * 256 * 20_000 * 4 / taken)

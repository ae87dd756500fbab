#!/usr/bin/env python3
"""Compares the model of tensor cores (tensor_core.cpp) with mmasim, a published simulator, bit for bit.

    python3 -m venv venv && venv/bin/pip install torch mmasim
    mkdir dump && CLGEMM_DUMP=dump build/release/tests/tests_on_host -# "[#tensor_core_test]"
    venv/bin/python tests/accuracy/compare_with_mmasim.py dump

CI does not run this, because torch is large.
"""

import pathlib
import sys

import numpy as np
import torch
from mmasim.amd.sim import MFMA
from mmasim.nv_ptx.sim import MMA, WGMMA

TILES, ROWS, COLUMNS = 320, 16, 8
FORMATS = {"f16": (torch.float16, 16), "bf16": (torch.bfloat16, 16), "tf32": (torch.float32, 8)}
GPUS = {"hopper": ("Hopper", "Blackwell"), "ampere": ("Ampere", "Ada Lovelace"), "cdna3": ()}


def simulators(name: str, gpu: str, k: int):
    if gpu == "cdna3":
        yield "mfma on CDNA 3", MFMA("CDNA3", f"f32_16x16x{k}_{name}")
    for architecture in GPUS[gpu]:
        yield f"mma on {architecture}", MMA(architecture, f"m16n8k{k}.f32.{name}.{name}.f32")
    if gpu == "hopper":
        yield "wgmma on Hopper", WGMMA("Hopper", f"m64n64k{k}.f32.{name}.{name}")


def main(folder: str) -> int:
    wrong = 0
    for name, (number_type, k) in FORMATS.items():
        for gpu in GPUS:
            if gpu == "cdna3" and name != "f16":
                continue
            tiles = np.fromfile(pathlib.Path(folder) / f"{name}_{gpu}.bin", dtype=np.float32).reshape(TILES, -1)
            ends = np.cumsum([ROWS * k, COLUMNS * k, ROWS * COLUMNS])
            a, b, c, model = np.split(tiles, ends, axis=1)
            a = torch.from_numpy(a.reshape(TILES, ROWS, 1, k)).to(number_type).expand(-1, -1, COLUMNS, -1)
            b = torch.from_numpy(b.reshape(TILES, 1, COLUMNS, k)).to(number_type).expand(-1, ROWS, -1, -1)
            for title, simulator in simulators(name, gpu, k):
                sums = torch.from_numpy(c.reshape(TILES, ROWS, COLUMNS).copy())
                theirs = simulator.dpa(a, b, sums).numpy().reshape(TILES, -1)
                same = (theirs.view(np.uint32) == model.view(np.uint32)) | (np.isnan(theirs) & np.isnan(model))
                print(f"{name}, {title}: {same.size} results, {(~same).sum()} differ")
                wrong += int((~same).sum())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

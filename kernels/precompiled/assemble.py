#!/usr/bin/env python3
"""Assembles the programs that `clgemm-tune --prepare --keep-programs` has written, and packs them.

usage: assemble.py PROGRAMS [ARCHIVES]

PROGRAMS has a folder for each kernel with its parameters, and in it a file for each program. The file is named after the
program's hash, and has PTX, or machine code if the program was precompiled. ARCHIVES (default: sm_90 beside this script)
gets a file for each folder, and loses the files of other kernels.

The assembler is `ptxas` of CUDA 12, or that of the variable PTXAS. README.md says where to find it.
"""
import concurrent.futures
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ELF = b"\x7fELF"
MARK = b"// program "  # src/build/precompiled.hpp
ALLOWED = 48 << 10  # bytes of static shared memory, by the assembler

# A static array in shared memory: its alignment, its name and its bytes.
ARRAY = re.compile(r"\n[ \t]*\.shared \.align (\d+) \.b8 (\S+)\[(\d+)\];")


def fitting(ptx):
    """Returns PTX that the assembler accepts, and the bytes of shared memory that grown() must add.

    NVIDIA's driver gives OpenCL more shared memory than the assembler allows. If a kernel has too much, its largest array
    becomes an `extern` one, whose size the assembler does not know. It lies behind all others.
    """
    arrays = list(ARRAY.finditer(ptx))
    if sum(int(array[3]) for array in arrays) <= ALLOWED:
        return ptx, 0
    if ptx.count(".entry ") != 1:
        raise ValueError("a program with much shared memory must have one kernel")
    largest = max(arrays, key=lambda array: int(array[3]))
    without = ptx.replace(largest[0], "", 1)
    extern = f".extern .shared .align {largest[1]} .b8 {largest[2]}[];\n"
    entry = without.index(".entry ")
    return without[:entry] + extern + without[entry:], int(largest[3])


def grown(cubin, kernel, more):
    """Returns a program whose kernel has `more` bytes of shared memory. The size is that of an ELF section."""
    (sections,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    (names_at,) = struct.unpack_from("<Q", cubin, sections + names * size + 0x18)
    for header in range(sections, sections + count * size, size):
        (name,) = struct.unpack_from("<I", cubin, header)
        begin = names_at + name
        if cubin[begin : cubin.index(0, begin)] == b".nv.shared." + kernel.encode():
            (bytes_before,) = struct.unpack_from("<Q", cubin, header + 0x20)
            return cubin[: header + 0x20] + struct.pack("<Q", bytes_before + more) + cubin[header + 0x28 :]
    raise ValueError(f"{kernel} has no static shared memory beside its largest array")


def for_assembler(ptx):
    """Returns the PTX of a newer driver for the assembler of CUDA 12.9, which knows version 8.8."""
    return re.sub(r"(?m)^\.version .*", ".version 8.8", ptx, count=1)


def spilled_bytes(said):
    """Returns the bytes that a program keeps in memory because it lacks registers, from the assembler's report."""
    return int(re.search(r"(\d+) bytes spill stores", said)[1])


def assemble(ptx, folder, assembler):
    """Returns the machine code of a program for the target that its PTX names.

    If the program spills, the assembler tries again with its highest level of saving registers, and the program that spills
    less is taken. With tiles of 32 x 128, `direct` spills 40 bytes by default, and 16 bytes this way. The driver's own
    assembler also spills 16. On an H200, 2264 products of 22 x 121 x 20 take 33 us by default, and 27 this way (29 November 2026).
    """
    text, more = fitting(for_assembler(ptx))
    target = re.search(r"(?m)^\.target (\w+)", text)[1]
    source = folder / "program.ptx"
    source.write_text(text)
    tried = []
    for level in 5, 10:  # 5 is the default
        cubin = folder / f"{level}.cubin"
        command = [assembler, "-v", f"-regUsageLevel={level}", f"-arch={target}", source, "-o", cubin]
        said = subprocess.run(command, capture_output=True, text=True)
        if said.returncode != 0:
            raise ValueError(f"{assembler} refuses a program: {said.stderr}")
        tried.append((spilled_bytes(said.stderr), cubin))
        if tried[-1][0] == 0:
            break
    cubin = min(tried, key=lambda one: one[0])[1].read_bytes()
    return grown(cubin, re.search(r"\.entry (\w+)", text)[1], more) if more else cubin


def machine_code(program, assembler):
    """Returns a program from clgemm-tune as machine code."""
    binary = program.read_bytes()
    if binary.startswith(ELF):
        return binary
    with tempfile.TemporaryDirectory() as folder:
        return assemble(binary.split(b"\0")[0].decode(), pathlib.Path(folder), assembler)


def main():
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    archives = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).parent / "sm_90"
    assembler = os.environ.get("PTXAS", "ptxas")
    kernels = sorted(pathlib.Path(sys.argv[1]).iterdir())
    archives.mkdir(parents=True, exist_ok=True)
    for old in archives.glob("*.cubin.zst"):
        old.unlink()
    count = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kernel in kernels:
            programs = sorted(kernel.iterdir())
            archive = archives / kernel.name
            with archive.open("wb") as file:
                for program, code in zip(programs, pool.map(lambda one: machine_code(one, assembler), programs)):
                    file.write(MARK + program.name.encode() + b"\n" + code)
            subprocess.run(["zstd", "-q", "--ultra", "-22", "--rm", "-f", archive], check=True)
            count += len(programs)
    print(f"{count} programs of {len(kernels)} kernels with their parameters are in {archives}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Assembles the programs that `clgemm-tune --prepare --keep-programs` has written, and packs them.

usage: assemble.py PROGRAMS [ARCHIVES]

PROGRAMS has a folder for each kernel with its parameters, and in it a file for each program. The file is named after the
program's hash, and has PTX, or machine code if the program was precompiled. ARCHIVES (default: sm_90 beside this script)
gets a file for each folder. Its old files are removed at the end.

The assembler is `ptxas` of CUDA 12, or that of the variable PTXAS. README.md says where to find it.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ELF = b"\x7fELF"
MARK = "// program"  # src/build/precompiled.hpp
ALLOWED = 48 << 10  # bytes of static shared memory, by the assembler
LOADED = 1  # the type of a segment that is loaded
FRAME_SIZE = 0x11  # the kind of a record in .nv.info
WITH_BYTES = 4  # the form of a record whose value is the number of bytes that follow

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


def section(cubin, name):
    """Returns where the header of an ELF section begins, or None."""
    (headers,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    (names_at,) = struct.unpack_from("<Q", cubin, headers + names * size + 0x18)
    for header in range(headers, headers + count * size, size):
        begin = names_at + struct.unpack_from("<I", cubin, header)[0]
        if cubin[begin : cubin.index(0, begin)] == name.encode():
            return header
    return None


def grown(cubin, kernel, more):
    """Returns a program whose kernel has `more` bytes of shared memory.

    Their number is the size of an ELF section, and of the segment that begins there and has only memory.
    """
    header = section(cubin, f".nv.shared.{kernel}")
    if header is None:
        raise ValueError(f"{kernel} has no static shared memory beside its largest array")
    result = bytearray(cubin)
    offset, size = struct.unpack_from("<QQ", cubin, header + 0x18)
    struct.pack_into("<Q", result, header + 0x20, size + more)
    (segments,) = struct.unpack_from("<Q", cubin, 0x20)
    segment_size, count = struct.unpack_from("<HH", cubin, 0x36)
    for segment in range(segments, segments + count * segment_size, segment_size):
        (kind,) = struct.unpack_from("<I", cubin, segment)
        (at,) = struct.unpack_from("<Q", cubin, segment + 8)
        in_file, in_memory = struct.unpack_from("<QQ", cubin, segment + 0x20)
        if kind == LOADED and at == offset and in_file == 0 and in_memory == size:
            struct.pack_into("<Q", result, segment + 0x28, size + more)
            return bytes(result)
    raise ValueError(f"{kernel} has no segment for its shared memory")


def frame_bytes(cubin):
    """Returns the bytes that each work-item keeps in memory because it lacks registers: the largest stack frame."""
    at, size = struct.unpack_from("<QQ", cubin, section(cubin, ".nv.info") + 0x18)
    end = at + size
    frames = []
    while at < end:
        form, kind, value = struct.unpack_from("<BBH", cubin, at)
        if kind == FRAME_SIZE:
            frames.append(struct.unpack_from("<I", cubin, at + 8)[0])  # behind the number of the kernel
        at += 4 + (value if form == WITH_BYTES else 0)
    return max(frames)


def for_assembler(ptx):
    """Returns the PTX of any driver for all assemblers of CUDA 12. A remark for debuggers needs a newer version."""
    ptx = re.sub(r"(?m)^\.version .*", ".version 8.0", ptx, count=1)
    return re.sub(r'(?m)^\t\.pragma "used_bytes_mask.*\n', "", ptx)


def assemble(ptx, folder, assembler):
    """Returns the machine code of a program for the target that its PTX names.

    If the program spills, the assembler tries again with its highest level of saving registers, and the program that spills
    less is taken. With tiles of 32 x 128, `direct` spills 40 bytes by default, and 16 bytes this way. The driver's own
    assembler also spills 16. On an H200, 2264 products of 22 x 121 x 20 take 33 us by default, and 27 this way (29 November
    2026).
    """
    text, more = fitting(for_assembler(ptx))
    target = re.search(r"(?m)^\.target (\w+)", text)[1]
    source = folder / "program.ptx"
    source.write_text(text)
    tried = []
    for level in 5, 10:  # 5 is the default
        path = folder / f"{level}.cubin"
        command = [assembler, f"-regUsageLevel={level}", f"-arch={target}", source, "-o", path]
        said = subprocess.run(command, capture_output=True, text=True)
        if said.returncode != 0:
            raise ValueError(f"{assembler} refuses a program: {said.stderr}")
        tried.append(path.read_bytes())
        if frame_bytes(tried[-1]) == 0:
            break
    cubin = min(tried, key=frame_bytes)
    return grown(cubin, re.search(r"\.entry (\w+)", text)[1], more) if more else cubin


def machine_code(program, assembler):
    """Returns a program from clgemm-tune as machine code."""
    binary = program.read_bytes()
    if binary.startswith(ELF):
        return binary
    with tempfile.TemporaryDirectory() as folder:
        return assemble(binary.split(b"\0")[0].decode(), pathlib.Path(folder), assembler)


def is_of_cuda_12(assembler):
    """Returns whether drivers of CUDA 12 load what this assembler writes."""
    return "release 12." in subprocess.run([assembler, "--version"], capture_output=True, text=True).stdout


def pack(kernels, folder, assembler):
    """Writes an archive for each kernel, and returns the number of programs."""
    count = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kernel in kernels:
            programs = sorted(kernel.iterdir())
            archive = folder / kernel.name
            with archive.open("wb") as file:
                for program, code in zip(programs, pool.map(lambda one: machine_code(one, assembler), programs)):
                    file.write(f"{MARK} {program.name} {frame_bytes(code)}\n".encode() + code)
            subprocess.run(["zstd", "-q", "--ultra", "-22", "--rm", archive], check=True)
            count += len(programs)
    return count


def main():
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    archives = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).parent / "sm_90"
    assembler = os.environ.get("PTXAS", "ptxas")
    for tool in assembler, "zstd":
        if not shutil.which(tool):
            sys.exit(f"there is no {tool}; README.md says what this needs")
    if not is_of_cuda_12(assembler):
        sys.exit(f"{assembler} is not the assembler of CUDA 12, whose programs all drivers since then load")
    kernels = sorted(pathlib.Path(sys.argv[1]).iterdir())
    if not kernels:
        sys.exit(f"there are no programs in {sys.argv[1]}")
    archives.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archives.parent) as temporary:
        folder = pathlib.Path(temporary)
        count = pack(kernels, folder, assembler)
        for old in archives.glob("*.cubin.zst"):
            old.unlink()
        for new in folder.iterdir():
            new.rename(archives / new.name)
    print(f"{count} programs of {len(kernels)} kernels with their parameters are in {archives}")


if __name__ == "__main__":
    main()

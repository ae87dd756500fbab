#!/usr/bin/env python3
"""Runs the kernels that clgemm may choose on AMD's GPUs, and those for Mali, as machine code of AMD's GPUs in an emulator, and
compares C with numpy. It also runs those that only NVIDIA Hopper has (target sm_90), as threads (work_items.py).

    emulate.py LAUNCHES [--few] [--only gfx1100,direct] [--keep FOLDER] [--processes N]

LAUNCHES is the program of launches.cpp, which has the launches of each GEMM with the arguments that the library sets. Elements
are integers, so that C must be exact. If beta is 0, they are so small that C is denormal, and C is full of NaN before. Kernels on
planes get numbers with more bits than one plane holds. They also get some that planes cannot hold, which only the fallback may
multiply. Everything else must not change: gaps between lines, the memory around the matrices, and A and B. The memory before and
after each buffer cannot be accessed.

It needs the compilers of compilers.py for AMD, lld-19, numpy and tinygrad 0.14.0 (PyPI), and the emulator of tinygrad's
sources, which its package does not have. CLGEMM_EMULATOR names a folder with its test/mockgpu and test/amd.
CLGEMM_EMULATOR_PYTHON may name another Python that has these packages. With `--only sm_90`, clang-19 and numpy are enough.

An emulator has no clock, and it may have errors of its own. In this one, matrix instructions round each product before they add
it, and treat denormal fp16 numbers as zero. If such an instruction of RDNA 4 starts from zero, it reads registers instead, so
these registers are set to zero first. The emulator does not support RDNA 2.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import ctypes
import json
import mmap
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from compilers import Amd, Refused, output_of
from work_items import RUNTIME, ProgramOfWorkItems

SKIPPED = 77  # CTest's status
PYTHON = "CLGEMM_EMULATOR_PYTHON"
EMULATOR = "CLGEMM_EMULATOR"
HOPPER = "sm_90"  # runs as threads (work_items.py)
ARCHITECTURES = {"gfx9": "cdna", "gfx11": "rdna3", "gfx12": "rdna4", HOPPER: HOPPER}  # AMD's have the emulator's names


def architecture_of(target):
    return next(name for prefix, name in ARCHITECTURES.items() if target.startswith(prefix))


# --- The form in which a GPU sees a program.

# These only empty caches. The emulator has no caches, and does not know all of them.
OF_CACHES = re.compile(r"(?m)^\s+(buffer_(gl[01]_)?(inv|wbl2|wbinvl1)\w*|global_(wb|inv|wbinv)|s_(icache|dcache)_\w+)\b.*\n")


STARTS_FROM_ZERO = re.compile(r"(?m)^(\s+v_wmma\w+) v\[(\d+):(\d+)\], (.*), 0$")


def with_zeros(found):
    """Returns a matrix instruction that adds to its result's registers, behind instructions that set these to zero."""
    instruction, first, last, factors = found.groups()
    zeros = "".join(f"\tv_mov_b32_e32 v{register}, 0\n" for register in range(int(first), int(last) + 1))
    return f"{zeros}{instruction} v[{first}:{last}], {factors}, v[{first}:{last}]"


def code_object(amd, program, folder):
    """Returns the path of the linked program, and its arguments: offset, size and kind of each, as the compiler lists them."""
    assembly = amd.assembly(program, folder)
    text = STARTS_FROM_ZERO.sub(with_zeros, OF_CACHES.sub("", assembly.read_text()))
    assembly.write_text(text)
    linked = assembly.with_suffix(".co")
    output_of([*amd.clang, f"-mcpu={program['target']}", "-x", "assembler", assembly, "-o", linked])
    listed = text[text.index("amdhsa.kernels:"):]
    listed = listed[listed.index(".args:"):listed.index(".group_segment_fixed_size")]
    facts = [re.search(rf"\.{fact}:\s+(\w+)", one)[1] for one in listed.split("- ")[1:] for fact in ("offset", "size", "value_kind")]
    return linked, [(int(offset), int(size), kind) for offset, size, kind in zip(*[iter(facts)] * 3)]


class LoadedProgram:
    """A code object in this process's memory."""

    # Properties of a kernel descriptor: the contents of the first scalar registers, in this order, and their
    # numbers.
    user_registers = [("private segment buffer", 4), ("dispatch packet", 2), ("queue", 2), ("arguments", 2), ("dispatch id", 2),
                      ("flat scratch", 2), ("private segment size", 1)]
    most_prefetched = 4096  # bytes after the code that the emulator may decode

    def __init__(self, path, function, arguments, numpy):
        image = path.read_bytes()
        self.arguments = arguments
        segments = self.table(image, 0x20, 0x38, 56, "<IIQQQQQQ")
        loads = [(offset, address, size) for kind, _, offset, address, _, size, _, _ in segments if kind == 1]
        self.size = max(address + segment[6] for segment in segments for address in [segment[3]] if segment[0] == 1)
        self.memory = numpy.zeros(self.size + self.most_prefetched + 4096, numpy.uint8)
        start = -self.memory.ctypes.data % 4096
        for offset, address, size in loads:
            self.memory[start + address:start + address + size] = numpy.frombuffer(image, numpy.uint8, size, offset)
        descriptor_address = self.symbol(image, function.encode() + b".kd")
        descriptor = bytes(self.memory[start + descriptor_address:start + descriptor_address + 64])
        self.local_bytes, self.private_bytes = struct.unpack_from("<II", descriptor, 0)
        entry, = struct.unpack_from("<q", descriptor, 16)
        mode, self.resources = struct.unpack_from("<II", descriptor, 48)
        self.keeps_denormals = mode >> 16 & 3 == 3  # FLOAT_DENORM_MODE_32: neither factors nor results are flushed
        self.properties, = struct.unpack_from("<H", descriptor, 56)
        self.entry = self.memory.ctypes.data + start + descriptor_address + entry

    @staticmethod
    def table(image, offset_at, count_at, entry_size, layout):
        offset, = struct.unpack_from("<Q", image, offset_at)
        count, = struct.unpack_from("<H", image, count_at)
        return [struct.unpack_from(layout, image, offset + i * entry_size) for i in range(count)]

    def symbol(self, image, name):
        sections = self.table(image, 0x28, 0x3C, 64, "<IIQQQQIIQQ")
        for _, kind, _, _, offset, size, link, _, _, _ in sections:
            if kind != 11:  # dynamic symbols
                continue
            names = sections[link][4]
            for at in range(offset, offset + size, 24):
                name_at, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", image, at)
                if image[names + name_at:image.index(b"\0", names + name_at)] == name:
                    return value
        raise Refused(f"the program has no {name.decode()}")

    def argument_bytes(self, values, groups, local):
        """Returns the explicit arguments in order, and the other ones that the compiler requests."""
        hidden = {f"hidden_block_count_{axis}": count for axis, count in zip("xyz", groups)}
        hidden |= {f"hidden_group_size_{axis}": count for axis, count in zip("xyz", local)}
        hidden["hidden_grid_dims"] = 3
        explicit = iter(values)
        size = max(offset + size for offset, size, _ in self.arguments)
        result = bytearray(size)
        for offset, size, kind in self.arguments:
            value = hidden.get(kind, 0).to_bytes(size, "little") if kind.startswith("hidden") else next(explicit)
            if len(value) != size:
                raise Refused(f"an argument has {len(value)} bytes; the kernel takes {size}")
            result[offset:offset + size] = value
        if next(explicit, None) is not None:
            raise Refused("the kernel takes fewer arguments")
        return bytes(result)

    def first_registers(self, arguments_address):
        result = []
        for bit, (what, count) in enumerate(self.user_registers):
            if self.properties >> bit & 1:
                result += [arguments_address & 0xFFFFFFFF, arguments_address >> 32] if what == "arguments" else [0] * count
        return result


# --- The memory of a GEMM.

class Buffer:
    """Floats between pages that cannot be accessed. The unused part of its own pages, and gaps, hold a mark."""

    mark = 0x7FC0C0DE  # a NaN
    alignment = 128

    def __init__(self, elements, numpy):
        page = mmap.PAGESIZE
        used = -(-max(elements, 1) * 4 // self.alignment) * self.alignment
        pages = -(-used // page) * page
        self.map = mmap.mmap(-1, pages + 2 * page)
        all_bytes = numpy.frombuffer(self.map, numpy.uint8)
        self.all = all_bytes[page:page + pages].view(numpy.uint32)
        self.all[:] = self.mark
        begin = page + pages - used
        self.floats = all_bytes[begin:begin + used].view(numpy.float32)[:elements]
        self.address = all_bytes.ctypes.data + begin
        libc = ctypes.CDLL(None, use_errno=True)
        for guard in (0, page + pages):
            if libc.mprotect(ctypes.c_void_p(all_bytes.ctypes.data + guard), ctypes.c_size_t(page), 0) != 0:
                raise OSError(ctypes.get_errno(), "mprotect")


class Matrix:
    """An operand of a GEMM, with all matrices of its batch."""

    def __init__(self, operand, rows, columns, batch, numpy):
        lines, length = (columns, rows) if operand["transposed"] else (rows, columns)
        ends = operand["offset"] + (batch - 1) * operand["stride"] + (lines - 1) * operand["ld"] + length
        self.buffer = Buffer(ends, numpy)
        self.operand, self.lines, self.length, self.numpy = operand, lines, length, numpy

    def stored(self, index, offset=None):
        """Returns a view of one of its matrices, as it is stored."""
        first = self.operand["offset"] + index * self.operand["stride"] if offset is None else offset
        return self.numpy.lib.stride_tricks.as_strided(self.buffer.floats[first:], (self.lines, self.length), (4 * self.operand["ld"], 4))

    def values(self, index, offset=None):
        stored = self.stored(index, offset)
        return stored.T if self.operand["transposed"] else stored


class Multiply:
    # These scale A's and B's numbers in some forms with a beta of 0, so that all products and sums are
    # denormal, and still exact.
    tiny = {"a": 2.0**-75, "b": 2.0**-70}

    def __init__(self, description, numpy):
        self.numpy = numpy
        self.what = description
        m, n, k, batch = (description[name] for name in ("m", "n", "k", "batch"))
        self.matrices = {"a": Matrix(description["a"], m, k, batch, numpy), "b": Matrix(description["b"], k, n, batch, numpy),
                         "c": Matrix(description["c"], m, n, batch, numpy)}
        products = bytes.fromhex(description["list"])
        self.products = list(struct.iter_unpack("<QQQff", products))
        # Each product: the offsets of its matrices, or None if they are a stride apart, and its factors.
        self.all = self.products or [(None, None, None, description["alpha"], description["beta"])] * batch
        random = numpy.random.default_rng(1)
        for name, matrix in self.matrices.items():
            scale = self.tiny.get(name, 1.0) if description["tiny"] else 1.0
            for index in range(batch):
                matrix.stored(index)[:] = random.integers(-4, 5, (matrix.lines, matrix.length)) * scale
        for index in range(batch):
            if description["planes"]:
                self.widen(index, random)
            if self.falls_back(index):
                self.set_apart(index)
        self.buffers = {name: matrix.buffer for name, matrix in self.matrices.items()}
        self.buffers["scratch"] = Buffer(description["scratch"] // 4, numpy)
        self.buffers["arrivals"] = Buffer(description["arrivals"], numpy)
        self.buffers["arrivals"].floats[:] = 0
        self.buffers["list"] = Buffer(len(products) // 4, numpy)
        self.buffers["list"].floats[:] = numpy.frombuffer(products, numpy.float32)
        self.before_fallback = None  # C, as it was before the fallback
        self.before = {name: self.buffers[name].all.copy() for name in ("a", "b", "list", "arrivals")}
        self.wanted = self.expected_c()

    def falls_back(self, index):
        return self.what["falls_back"] and (self.what["batch"] == 1 or index == 1)

    def widen(self, index, random):
        """Gives one factor of each product 14 bits, alternately that from A and that from B. Sums stay exact, and need all planes."""
        a, b = (self.matrices[name].values(index) for name in "ab")
        a[:, ::2] *= random.integers(1, 2049, a[:, ::2].shape).astype(self.numpy.float32)
        b[1::2, :] *= random.integers(1, 2049, b[1::2, :].shape).astype(self.numpy.float32)

    def set_apart(self, index):
        """Makes numbers of A so much smaller than others of their rows that planes lose them, and scales B to compensate."""
        self.matrices["a"].values(index)[:, 0] *= self.numpy.float32(2.0**-40)
        self.matrices["b"].values(index)[0, :] *= self.numpy.float32(2.0**40)

    def expected_c(self):
        """Returns the expected contents of C's whole buffer. If beta is 0, this overwrites the numbers of C."""
        numpy = self.numpy
        c = self.matrices["c"]
        results = []
        for index, (a_at, b_at, c_at, alpha, beta) in enumerate(self.all):
            a = self.matrices["a"].values(index, a_at).astype(numpy.float64)
            b = self.matrices["b"].values(index, b_at).astype(numpy.float64)
            results.append((c.values(index, c_at), alpha * (a @ b) + beta * c.values(index, c_at).astype(numpy.float64), beta))
        was = c.buffer.all.copy()
        for place, result, _ in results:
            place[:] = result
        wanted = c.buffer.all.copy()
        c.buffer.all[:] = was
        for place, _, beta in results:
            if beta == 0:
                place[:] = numpy.nan
        return wanted

    def arguments(self, launch):
        for argument in launch["arguments"]:
            yield bytes.fromhex(argument[2:]) if argument.startswith("0x") else struct.pack("<Q", self.buffers[argument].address)

    def remember_c(self):
        """Must be called before a fallback."""
        self.before_fallback = self.buffers["c"].all.copy()

    def fault_of_fallback(self):
        now = self.buffers["c"].all
        changed = now != self.before_fallback
        for index in range(self.what["batch"]):
            c = self.matrices["c"].values(index)
            first = (c.ctypes.data - now.ctypes.data) // 4
            ld = self.what["c"]["ld"]
            did = any(changed[first + row * ld:first + row * ld + self.what["n"]].any() for row in range(self.what["m"]))
            if did != (self.what["by_fallback"] and self.falls_back(index)):
                return f"the fallback {'multiplied' if did else 'left out'} number {index} of the batch"
        return ""

    def fault(self):
        """Returns what is wrong after the run, or an empty string."""
        if self.before_fallback is not None and (fault := self.fault_of_fallback()):
            return fault
        for name, before in self.before.items():
            if not self.numpy.array_equal(self.buffers[name].all, before):
                return f"{name} was changed"
        got = self.buffers["c"].all
        floats = self.numpy.float32
        same = (got == self.wanted) | (got.view(floats) == self.wanted.view(floats))  # treats 0 and -0 as equal
        wrong = self.numpy.flatnonzero(~same)
        if len(wrong) == 0:
            return ""
        outside = self.numpy.count_nonzero(self.wanted[wrong] == Buffer.mark)
        first = wrong[0]
        return (f"{len(wrong)} elements are wrong, {outside} of them in gaps or around C; "
                f"the first is {got.view(floats)[first]}, not {self.wanted.view(floats)[first]}")


# --- The emulating process, one for each part of the list. It reads numbers of GEMMs, and writes a line for
# each.

class Buffers:
    """Replaces tinygrad's Buffer, from which the emulator makes its memories. Local memory comes after the GPU's own. It gets all
    addresses that a register can hold, because the emulator also reads it for disabled lanes, with the addresses in their registers."""

    addresses = (1 << 32) + (1 << 16)  # with an instruction's own offset
    no_reserve = 0x4000                # MAP_NORESERVE of Linux, without a name in Python 3.11

    def __init__(self, emulator):
        self.make, self.spec = emulator.Buffer, emulator.BufferSpec
        self.room = mmap.mmap(-1, self.addresses, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | self.no_reserve)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.room))
        self.is_next = False

    def __call__(self, device, size, dtype, **options):
        if self.is_next:
            options = {"options": self.spec(external_ptr=self.start)}
        self.is_next = bool(options) and not self.is_next
        return self.make(device, size, dtype, **options)


def work(folder):
    import numpy
    if os.environ.get(EMULATOR):
        sys.path.insert(0, os.environ[EMULATOR])
        from test.mockgpu.amd import emu
        emu.Buffer = Buffers(emu)
        flushing = emu._MXCSRContext  # The emulator flushes denormals, whatever mode a program asks for.
    amd = Amd()
    own = folder / f"process_{os.getpid()}"  # others may compile the same program at the same time
    own.mkdir()
    listed = json.loads((folder / "launches.json").read_text())
    loaded = {}

    def program(number):
        if number not in loaded:
            one = listed["programs"][number]
            shutil.copy(folder / one["file"], own)
            if one["target"] == HOPPER:
                loaded[number] = ProgramOfWorkItems(one, own)
                return loaded[number]
            linked, arguments = code_object(amd, one, own)
            loaded[number] = LoadedProgram(linked, one["function"], arguments, numpy)
        return loaded[number]

    for line in sys.stdin:
        description = listed["multiplies"][int(line)]
        began = time.monotonic()
        try:
            multiply = Multiply(description, numpy)
            plain_way = False
            for launch in description["launches"]:
                kernel = program(launch["program"])
                if listed["programs"][launch["program"]]["function"] == "fallback":
                    multiply.remember_c()
                if description["target"] == HOPPER:
                    plain_way |= kernel.run(list(multiply.arguments(launch)), launch["groups"], launch["local"])
                    continue
                data = kernel.argument_bytes(multiply.arguments(launch), launch["groups"], launch["local"])
                arguments = numpy.frombuffer(data, numpy.uint8).copy()
                emu._MXCSRContext = contextlib.nullcontext if kernel.keeps_denormals else flushing
                granules = -(-kernel.local_bytes // 512) << 15  # the emulator reads the size of local memory there
                emu.run_asm(kernel.entry, kernel.size, *launch["groups"], *launch["local"], arguments.ctypes.data,
                        kernel.resources | granules, kernel.private_bytes, architecture_of(description["target"]),
                        kernel.first_registers(arguments.ctypes.data))
            fault = multiply.fault()
            if plain_way and not description["tiny"] and not description["falls_back"]:
                fault = fault or "numbers that TF32 can hold were multiplied in plain fp32"
        except Exception as error:  # from the emulator, if something is unknown to it
            fault = f"{type(error).__name__}: {error}"
        print(json.dumps({"fault": fault, "seconds": time.monotonic() - began}), flush=True)


class Worker:
    """Runs its part of the list in a separate process. A stray access ends that process, and then a new one starts."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def start(self):
        self.process = subprocess.Popen([sys.executable, __file__, "--work", self.folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def run(self, number):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(f"{number}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.process = None
        return {"fault": f"the process ended with status {status}: a kernel reads or writes outside its buffers, or the emulator crashes",
                "seconds": 0.0}

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def missing(of_amd):
    """Returns what is missing, in a sentence, or an empty string. `of_amd` says whether machine code of AMD's is emulated."""
    folder = os.environ.get(EMULATOR)
    if of_amd and not folder:
        return f"{EMULATOR} names no folder with tinygrad's emulator (test/mockgpu/amd and test/amd of its sources)"
    if of_amd and not (pathlib.Path(folder) / "test/mockgpu/amd/emu.py").exists():
        return f"{folder} ({EMULATOR}) has no test/mockgpu/amd/emu.py"
    if of_amd and Amd.problem("gfx1100"):
        return Amd.problem("gfx1100")
    for tool in ("clang-19", "ld.lld-19") if of_amd else ("clang-19",):
        if not shutil.which(tool):
            return f"{tool} is missing"
    try:
        import numpy  # noqa
        if of_amd:
            import tinygrad  # noqa
    except ImportError as error:
        packages = "tinygrad==0.14.0 numpy" if of_amd else "numpy"
        return f"{error}: pip install {packages} ({PYTHON} may name the Python that has them)"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launches")
    parser.add_argument("--few", action="store_true", help="one GEMM for each kernel and target; for Hopper, three for each config")
    parser.add_argument("--only", default="", help="only targets that contain one of these words, and kernels so named; comma-separated")
    parser.add_argument("--keep", help="keep sources and machine code in this folder")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    python = os.environ.get(PYTHON, sys.executable)
    if os.path.abspath(python) != os.path.abspath(sys.executable):
        os.execv(python, [python, *sys.argv])
    os.environ.setdefault(RUNTIME, str(pathlib.Path(arguments.launches).resolve().parent / "libwork_items.so"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        subprocess.run([arguments.launches, folder, *(["--few"] if arguments.few else [])], check=True)
        multiplies = json.loads((folder / "launches.json").read_text())["multiplies"]
        words = [word for word in arguments.only.split(",") if word]
        wanted = [number for number, one in enumerate(multiplies)
                  if not words or any(word in one["target"] or word == one["name"].split()[0].rstrip(":") for word in words)]
        problem = missing(any(multiplies[number]["target"] != HOPPER for number in wanted))
        if problem:
            print(f"SKIPPED: {problem}")
            return SKIPPED
        return emulate(multiplies, wanted, folder, arguments.processes)


def parts_of(multiplies, wanted, processes):
    """Returns a list for each process. Each instruction is compiled once in a process, so those of one architecture are together."""
    by_architecture = collections.defaultdict(list)
    for number in wanted:
        by_architecture[architecture_of(multiplies[number]["target"])].append(number)
    each = max(processes // max(len(by_architecture), 1), 1)
    return [numbers[i::each] for numbers in by_architecture.values() for i in range(each) if numbers[i::each]]


def emulate(multiplies, wanted, folder, processes):
    results = {}

    def run(part):
        worker = Worker(folder)
        for number in part:
            one = multiplies[number]
            result = results[number] = worker.run(number)
            print(f"{one['target']} {one['name']}: {result['fault'] or 'right'} ({result['seconds']:.1f} s)", flush=True)
        worker.end()

    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        list(pool.map(run, parts_of(multiplies, wanted, processes)))
    table = collections.defaultdict(lambda: [0, 0, 0])
    for number, result in results.items():
        one = multiplies[number]
        row = table[one["target"], one["name"].split()[0].rstrip(":")]
        row[0] += 1
        row[1] += len(one["launches"])
        row[2] += result["fault"] != ""
    print("| target | kernel | GEMMs | launches | wrong |\n|---|---|--:|--:|--:|")
    for (target, kernel), row in sorted(table.items()):
        print(f"| {target} | `{kernel}` | {' | '.join(str(value) for value in row)} |")
    wrong = sum(result["fault"] != "" for result in results.values())
    print(f"{len(results)} GEMMs, {wrong} wrong; {sum(os.times()[:4]):.0f} s of CPU time")
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(main())

"""Runs kernels for NVIDIA Hopper on the CPU, for emulate.py. clang compiles a kernel's OpenCL C for the CPU, after calls of
functions of work_items.cpp have replaced its inline PTX. Each work-item is a thread. That file says what goes unnoticed."""

import ctypes
import os
import re

from compilers import Refused, output_of

RUNTIME = "CLGEMM_WORK_ITEMS"  # names the library of work_items.cpp

# PTX, and the statement that replaces it; the groups are operands in the source. The first match counts.
ASYNCHRONOUS = r"fence|wait_group|commit_group|prefetch|membar|setmaxnreg"  # nothing is: everything is done at once
STATEMENTS = [(re.compile(pattern, re.S), statement) for pattern, statement in [
    (r'bar\.red\.or\.pred.*"=r"\((\w+)\).*"r"\(\(uint\)(\w+)\), "r"\((.*?)\) :', r"\1 = item_barrier_any(\3, 128, \2)"),
    (r'bar\.sync (\d+), %0;" ::"n"\((.*)\) :', r"item_barrier(\1, \2)"),
    (r'bar\.sync %0, %1;" ::"r"\((.*?)\), "n"\((.*)\) :', r"item_barrier(\1, \2)"),
    (r'bar\.sync %0, (\d+);" ::"r"\((.*?)\) :', r"item_barrier(\2, \1)"),
    (r"bar\.warp\.sync", "warp_barrier()"),
    (r'redux\.sync\.max\.u32.*"=r"\((\w+)\)', r"\1 = warp_largest(\1)"),
    (r'shfl\.sync\.bfly.*"=r"\((\w+)\) : "r"\((\w+)\), "n"\((\w+)\)', r"\1 = warp_exchange(\2, \3)"),
    (r'shfl\.sync\.bfly.*"=f"\((\w+)\) : "f"\((\w+)\), "n"\((\w+)\)', r"\1 = as_float(warp_exchange(as_uint(\2), \3))"),
    (r"ldmatrix", "load_matrices_of(fragment, address)"),
    (r"mov\.u32 %0, 0;", "zero = 0"),
    (r"mbarrier\.init\.", "counting_begin(barrier, arrivals)"),
    (r"mbarrier\.arrive\.expect_tx", "counting_expect(barrier, bytes)"),
    (r"cp\.async\.mbarrier\.arrive|mbarrier\.arrive\.shared", "counting_arrive(barrier)"),
    (r"mbarrier\.try_wait", "counting_wait(barrier, parity)"),
    (r"cp\.async\.bulk", "copy_in_bulk(shared, (ulong)global_memory, bytes, barrier)"),
    (r'cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], 16, %2;" ::"r"\((\w+)\), "l"\((\w+)\), "r"\((\w+)\)',
     r"copy_to_local(\1, (ulong)\2, \3, 16)"),
    (r'cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], 16;" ::"r"\((\w+)\), "l"\((\w+)\)', r"copy_to_local(\1, (ulong)\2, 16, 16)"),
    (r"cp\.async\.ca\.shared\.global\.L2::256B \[%0\], \[%1\], 4;", "copy_to_local(shared_address(to), (ulong)from, 4, 4)"),
    (r"cp\.async\.cg\.shared\.global\.L2::256B \[%0\], \[%1\], 16;", "copy_to_local(shared_address(to), (ulong)from, 16, 16)"),
    (r"add\.u64", "result = from + count"),
    (r"ld\.global\.L2::256B\.f32", "value = *place"),
    (r"ld\.global\.L2::256B\.v4\.f32", "x = place[0], y = place[1], z = place[2], w = place[3]"),
    (r"atom\.acq_rel\.gpu\.global\.add\.u32", "before = add_one((ulong)word)"),
    (r"cvt\.rn\.f16x2\.f32|cvt\.rn\.f16\.f32", "bits = halves_of(values.x, values.y)"),
    (r"cvt\.f32\.f16", "values.x = of_lower_half(bits), values.y = of_upper_half(bits)"),
    (r"wgmma\.mma_async", 'multiply_matrices(d, (uint*)a, b, keep, WGMMA_COLUMNS, sizeof(PLANE_TYPE) == sizeof("f16"))'),
    (ASYNCHRONOUS, "(void)0"),
    (r'^""', "(void)0"),  # hides something from the compiler
]]
DECLARATIONS = """
uint local_address(ulong); void item_barrier(int, int); uint item_barrier_any(int, int, uint); void warp_barrier(void);
uint warp_largest(uint); uint warp_exchange(uint, int); void load_matrices_of(uint*, uint); void counting_begin(uint, uint);
void counting_arrive(uint); void counting_expect(uint, uint); void counting_wait(uint, uint); void copy_to_local(uint, ulong, int, int);
void copy_in_bulk(uint, ulong, uint, uint); uint add_one(ulong); uint halves_of(float, float); float of_lower_half(uint);
float of_upper_half(uint); void multiply_matrices(float*, uint*, ulong, int, int, int);
void count_plain_way(void);
"""


def end_of(text, begin):
    """Returns the place behind the parenthesis that closes the one before `begin`."""
    depth, in_string = 1, False
    while depth:
        if text[begin] == '"' and text[begin - 1] != "\\":
            in_string = not in_string
        elif not in_string:
            depth += {"(": 1, ")": -1}.get(text[begin], 0)
        begin += 1
    return begin


def without_ptx(source):
    """Returns the source with calls instead of inline PTX."""
    result, done = [DECLARATIONS], 0
    for found in re.finditer(r"\basm\b(?: volatile)?\s*\(", source):
        end = end_of(source, found.end())
        ptx = re.sub(r"\\?\s+", " ", source[found.end():end - 1]).replace('" "', "")
        if not ptx.endswith(" "):
            ptx += " :"  # the patterns end operands with a colon
        for pattern, statement in STATEMENTS:
            match = pattern.search(ptx)
            if match:
                break
        else:
            raise Refused(f"unknown PTX: {ptx}")
        result += [source[done:found.start()], match.expand(statement)]
        done = end
    result.append(source[done:])
    text = "".join(result).replace("return (uint)(size_t)memory;", "return local_address((ulong)memory);")
    return re.sub(r"(void multiply_(?:again|plainly)\([^)]*\) \{)", r"\1 count_plain_way();", text)  # for numbers that TF32 cannot hold


def call_of(function, preprocessed):
    """Returns the source of a function that calls the kernel. It takes the addresses of the arguments."""
    parameters = re.search(rf"\b{function}\s*\(([^()]*)\)\s*\{{", preprocessed)[1].split(",")
    types = [re.sub(r"\brestrict\b|\w+\s*$", "", parameter) for parameter in parameters]
    lines = [f"typedef {one} argument_{i};" for i, one in enumerate(types)]
    values = ", ".join(f"*(argument_{i}*)((ulong*)arguments)[{i}]" for i in range(len(types)))
    return "\n".join([*lines, f"void call_kernel(ulong arguments) {{ {function}({values}); }}", ""])


class ProgramOfWorkItems:
    """A kernel as a library for the CPU."""

    compiler = ["clang-19", "-x", "cl", "-w", "-Xclang", "-finclude-default-header", "-D__NV_CL_C_VERSION=120", "-Dcl_nv_pragma_unroll"]

    def __init__(self, program, folder):
        self.runtime = ctypes.CDLL(os.environ[RUNTIME], ctypes.RTLD_GLOBAL)
        source = folder / program["file"]
        converted = source.with_suffix(".items.cl")
        text = without_ptx(source.read_text())
        converted.write_text(text)
        command = [*self.compiler, *program["options"].split()]
        converted.write_text(text + call_of(program["function"], output_of([*command, "-E", "-P", converted])))
        library = converted.with_suffix(".so")
        output_of([*command, "-O1", "-fPIC", "-shared", "-o", library, converted])
        self.call = ctypes.cast(ctypes.CDLL(str(library)).call_kernel, ctypes.c_void_p)
        self.local_memory = self.place_of_local_memory(output_of(["nm", "-S", library]), program["function"])

    def place_of_local_memory(self, symbols, function):
        """Returns the address and the size of the kernel's variables in local memory: static variables called function.name."""
        listed = [(int(at, 16), int(size, 16)) for at, size in re.findall(rf"(?m)^(\w+) (\w+) [bB] {function}\.", symbols)]
        if not listed:
            return 0, 0
        call, = re.findall(r"(?m)^(\w+) \w+ T call_kernel$", symbols)
        begin = min(at for at, _ in listed)
        return self.call.value - int(call, 16) + begin, max(at + size for at, size in listed) - begin

    def run(self, arguments, groups, local):
        """Runs a launch. Arguments are bytes. Returns true if work-items multiplied in plain fp32 instead of TF32."""
        kept = [ctypes.create_string_buffer(argument, len(argument)) for argument in arguments]
        addresses = (ctypes.c_uint64 * len(kept))(*map(ctypes.addressof, kept))
        three = [(ctypes.c_size_t * 3)(*values, *[1] * (3 - len(values))) for values in (groups, local)]
        begin, size = self.local_memory
        self.runtime.run_kernel(self.call, addresses, *three, ctypes.c_uint64(begin), ctypes.c_size_t(size))
        return self.runtime.plain_ways() > 0

"""The compilers of AMD, Intel and NVIDIA that run without a GPU. If a target's compiler is missing, it reports this:

    AMD      clang-19 and rocm-device-libs of Debian 12; lld-19 to link
    Intel    ocloc: intel-opencl-icd of Debian 12, or a newer one that OCLOC names (newest_ocloc; bmg needs it); libigc1 to disassemble
    NVIDIA   clang-19 and libclc-19 of Debian 12, and ptxas: PTXAS names it, or it is on the PATH, in /usr/local/cuda/bin,
             or in this Python's nvidia-cuda-nvcc-cu12 (PyPI), which alone knows sm_60 to sm_70. To disassemble, nvdisasm:
             NVDISASM names it, or it is in the same places, or in nvidia-cuda-nvdisasm (PyPI), for sm_75 and later

AMD's compiler is clang, as in ROCm. For NVIDIA, clang makes PTX for NVIDIA's assembler. NVIDIA's own compiler of OpenCL C may
need a different number of registers.

A compiler has three functions:

- The function problem(target) returns why it cannot be used, or "".
- The function spilled(program, folder) compiles a program of chosen.cpp in that folder, and returns the bytes that it keeps in
  memory instead of registers. Raises Refused with the compiler's message.
- The function listing(program, folder) returns what the device executes as lines of text, or the nearest form that is available.
  Raises Refused, too.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2] / "kernels/precompiled"))
from assemble import fitting  # noqa: E402

ROCM = pathlib.Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
LIBCLC = pathlib.Path("/usr/lib/clc/nvptx64--nvidiacl.bc")


class Unknown(Exception):
    """The compiler is too old for a function of the program."""


class Refused(Exception):
    pass


def output_of(command, folder=None, **environment):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          cwd=folder, env={**os.environ, **environment})
    if done.returncode != 0:
        raise Refused(f"exit status {done.returncode} (below 0: it crashed)\n{done.stdout[-2000:]}")
    return done.stdout


def largest(pattern, text):
    return max((int(found) for found in re.findall(pattern, text)), default=0)


def installed(name, variable, package):
    """Returns the first existing path of a tool of NVIDIA's."""
    named = os.environ.get(variable)
    if named:
        return [named]
    places = [shutil.which(name), f"/usr/local/cuda/bin/{name}"]
    places += [str(found) for folder in sys.path for found in pathlib.Path(folder).glob(f"nvidia/{package}/bin/{name}")]
    return [place for place in places if place and os.access(place, os.X_OK)]


class Amd:
    """clang with ROCm's device library, linked like ROCm's OpenCL."""

    unit = "work-item"
    clang = ["clang-19", "-target", "amdgcn-amd-amdhsa", "-nogpulib"]

    @staticmethod
    def problem(target):
        if not shutil.which("clang-19"):
            return "clang-19 is missing"
        return "" if ROCM.exists() else "rocm-device-libs is missing"

    @staticmethod
    def library(target):
        # A target that Debian's library does not know uses the library of a related target. The instructions
        # are the target's own.
        isa = {"gfx942": "940"}.get(target, target.removeprefix("gfx"))
        if not (ROCM / f"oclc_isa_version_{isa}.bc").exists():
            isa = "1036"
        wave64 = "on" if target.startswith("gfx9") else "off"
        parts = ["opencl", "ocml", "ockl", f"oclc_isa_version_{isa}", f"oclc_wavefrontsize64_{wave64}",
                 "oclc_abi_version_500", "oclc_daz_opt_off", "oclc_finite_only_off", "oclc_unsafe_math_off",
                 "oclc_correctly_rounded_sqrt_on"]  # in this order
        for part in parts:
            yield from ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", ROCM / f"{part}.bc")

    def assembly(self, program, folder):
        """Returns the path of the compiler's output, as assembly."""
        source = folder / program["file"]
        assembly = source.with_suffix(".s")
        output_of([*self.clang, "-x", "cl", "-O3", f"-mcpu={program['target']}", "-Xclang", "-finclude-default-header",
                   *self.library(program["target"]), *program["options"].split(), "-S", "-o", assembly, source])
        return assembly

    def spilled(self, program, folder):
        return largest(r"\.private_segment_fixed_size: (\d+)", self.assembly(program, folder).read_text())

    def listing(self, program, folder):
        return self.assembly(program, folder).read_text().splitlines()


class Intel:
    """Intel's own compiler, offline."""

    unit = "thread"
    disassembler = pathlib.Path("/usr/lib/x86_64-linux-gnu")

    @staticmethod
    def ocloc():
        return os.environ.get("OCLOC") or shutil.which("ocloc")

    def problem(self, target):
        if not self.ocloc():
            return "ocloc is missing (intel-opencl-icd)"
        known = subprocess.run([self.ocloc(), "compile", "--help"], stdout=subprocess.PIPE, text=True).stdout
        return "" if re.search(rf"\b{target}\b", known) else f"this ocloc does not know {target}; OCLOC names another one"

    def binary(self, program, folder):
        source = (folder / program["file"]).resolve()
        out = source.parent / source.stem
        # A driver passes the extensions of its device in this way. Without them, ocloc 22.43 does not declare their functions.
        extensions = ",".join(["-all", *(f"+{name}" for name in program["extensions"].split())])
        try:
            output_of([self.ocloc(), "compile", "-file", source, "-device", program["target"], "--format", "zebin",
                       "-options", program["options"], "-internal_options", f"-cl-ext={extensions}",
                       "-output", "out", "-output_no_suffix", "-out_dir", out],
                      source.parent)  # because it writes other files there
        except Refused as refused:
            tf32 = "intel_sub_group_tf32_tf32_matrix_mad_k8"  # ocloc 22.43 has it with other types and another name
            if f"implicit declaration of function '{tf32}'" not in str(refused):
                raise
            raise Unknown(f"this ocloc does not know {tf32}; OCLOC names another one") from refused
        return next(file for file in sorted(out.glob("out*")) if file.suffix != ".spv")

    def spilled(self, program, folder):
        # The driver also reads this: the section .ze_info is text.
        binary = self.binary(program, folder).read_bytes().decode("latin-1")
        if "execution_env" not in binary:
            raise Refused("the binary does not say what memory it needs")
        buffers = re.search(r"per_thread_memory_buffers:(.*?)\n(?:    \w|\w|\.\.\.)", binary, re.DOTALL)
        return sum(int(size) for size in re.findall(r"size: +(\d+)", buffers[1])) if buffers else 0

    def listing(self, program, folder):
        binary = self.binary(program, folder)
        dump = binary.parent / "dump"
        dump.mkdir(exist_ok=True)
        # ocloc 22.43 loads the disassembler's library by a name that Debian only has in its development
        # package.
        for library in self.disassembler.glob("libiga64.so.*"):
            link = binary.parent / "libiga64.so"
            if not link.is_symlink():
                link.symlink_to(library)
        said = output_of([self.ocloc(), "disasm", "-file", binary, "-device", program["target"], "-dump", dump],
                         binary.parent,
                         LD_LIBRARY_PATH=f"{binary.parent.resolve()}:{os.environ.get('LD_LIBRARY_PATH', '')}")
        text = dump / ".text.gemm.asm"
        if not text.exists():
            raise Refused(f"ocloc cannot disassemble (libigc1 is missing?)\n{said}")
        return text.read_text().splitlines()


class Nvidia:
    """clang's PTX, assembled by NVIDIA's assembler."""

    unit = "work-item"
    newest_of_clang = 90
    oldest_of_nvdisasm = 75
    tolerated = 16  # bytes that fp16x3_mma spills with 128 x 128 on an A100, if clang makes the PTX

    @staticmethod
    def assembler(target):
        for ptxas in installed("ptxas", "PTXAS", "cuda_nvcc"):
            said = subprocess.run([ptxas, f"-arch={target}", os.devnull], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if "is not defined for option" not in said.stdout:
                return ptxas
        return None

    def problem(self, target):
        if not shutil.which("clang-19"):
            return "clang-19 is missing"
        if not LIBCLC.exists():
            return "libclc-19 is missing"
        return "" if self.assembler(target) else f"no ptxas that knows {target} (nvidia-cuda-nvcc-cu12 of PyPI knows sm_50 and later)"

    def ptx(self, program, folder):
        """Returns the path of the PTX with clgemm's run-time changes, and the target for which it is assembled."""
        source = folder / program["file"]
        target = program["target"]
        sm = int(target.removeprefix("sm_"))
        ptx = source.with_suffix(".ptx")
        options = [option for option in program["options"].split() if not option.startswith("-cl-nv-")]
        output_of(["clang-19", "-x", "cl", "-O3", "-target", "nvptx64-nvidia-nvcl",
                   "-Xclang", "-target-cpu", "-Xclang", f"sm_{min(sm, self.newest_of_clang)}",
                   "-Xclang", "-target-feature", "-Xclang", "+ptx83", "-Xclang", "-finclude-default-header",
                   "-D__NV_CL_C_VERSION=120", "-Dasm=__asm__", "-Dcl_nv_pragma_unroll",
                   "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, *options, "-S", "-o", ptx, source])
        text = ptx.read_text()
        final = program["ptx"] or target
        if program["ptx"]:
            text = text.replace("//@@", "")
        if sm > self.newest_of_clang:
            text = re.sub(r"(?m)^\.version .*", ".version 8.7", text)
        text = re.sub(r"(?m)^\.target .*", f".target {final}, texmode_independent", text)
        if program["registers"]:
            text, limited = re.subn(r"(\.entry [^{;]*\))(\s*\{)", f"\\1\n.maxnreg {program['registers']}\\2", text)
            if limited != 1:
                raise Refused(f"the PTX has {limited} places for .maxnreg instead of one")
        ptx.write_text(fitting(text)[0])
        return ptx, final

    def assemble(self, program, folder):
        ptx, final = self.ptx(program, folder)
        return output_of([self.assembler(program["target"]), f"-arch={final}", "-v", ptx, "-o", ptx.with_suffix(".cubin")])

    def spilled(self, program, folder):
        said = self.assemble(program, folder)
        spilled = max(largest(r"(\d+) bytes stack frame", said), largest(r"(\d+) bytes spill stores", said))
        return spilled if spilled > self.tolerated else 0

    def has_disassembler(self, target):
        return int(target.removeprefix("sm_")) >= self.oldest_of_nvdisasm and installed("nvdisasm", "NVDISASM", "cu*")

    def listing(self, program, folder):
        if not self.has_disassembler(program["target"]):
            return self.ptx(program, folder)[0].read_text().splitlines()
        self.assemble(program, folder)
        cubin = (folder / program["file"]).with_suffix(".cubin")
        return output_of([installed("nvdisasm", "NVDISASM", "cu*")[0], "-c", cubin]).splitlines()


def compiler_of(target):
    return Amd() if target.startswith("gfx") else Nvidia() if target.startswith("sm_") else Intel()

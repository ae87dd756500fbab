#!/usr/bin/env python3
"""Compiles what clgemm chooses on GPUs that are not here, and fails if a compiler refuses it or it spills.

    compile.py CHOSEN [--few] [--targets gfx1100,dg2] [--keep FOLDER]

CHOSEN is the program of chosen.cpp. A target whose compiler is missing is left out, and the last lines say so:

    AMD      clang-19 and rocm-device-libs of Debian 12
    Intel    ocloc: intel-opencl-icd of Debian 12, or a newer one that OCLOC names (bmg needs it)
    NVIDIA   clang-19 and libclc-19 of Debian 12, and ptxas: PTXAS names it, or it is on the PATH, in /usr/local/cuda/bin,
             or in this Python's nvidia-cuda-nvcc-cu12 (PyPI), which alone knows sm_60 to sm_70

The compilers of AMD and NVIDIA are clang's, as ROCm uses it, and clang's in front of NVIDIA's assembler: what NVIDIA's own compiler
of OpenCL C makes may need other registers. Nothing is run, so nothing is said of results or speed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROCM = pathlib.Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
LIBCLC = pathlib.Path("/usr/lib/clc/nvptx64--nvidiacl.bc")
SKIPPED = 77  # as CTest has it


class Refused(Exception):
    pass


def output_of(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Refused(f"exit status {done.returncode} (below 0: it crashed)\n{done.stdout[-2000:]}")
    return done.stdout


def largest(pattern, text):
    return max((int(found) for found in re.findall(pattern, text)), default=0)


class Amd:
    """clang with ROCm's device library, linked as ROCm's OpenCL links it."""

    unit = "work-item"

    @staticmethod
    def problem(target):
        if not shutil.which("clang-19"):
            return "clang-19 is missing"
        return "" if ROCM.exists() else "rocm-device-libs is missing"

    @staticmethod
    def library(target):
        # Targets that Debian's library does not know take that of a relative; the instructions are the target's own.
        isa = {"gfx942": "940"}.get(target, target.removeprefix("gfx"))
        if not (ROCM / f"oclc_isa_version_{isa}.bc").exists():
            isa = "1036"
        wave64 = "on" if target.startswith("gfx9") else "off"
        parts = ["opencl", "ocml", "ockl", f"oclc_isa_version_{isa}", f"oclc_wavefrontsize64_{wave64}",
                 "oclc_abi_version_500", "oclc_daz_opt_off", "oclc_finite_only_off", "oclc_unsafe_math_off",
                 "oclc_correctly_rounded_sqrt_on"]  # in this order
        for part in parts:
            yield from ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", ROCM / f"{part}.bc")

    def spilled(self, program, source, folder):
        assembly = source.with_suffix(".s")
        output_of(["clang-19", "-x", "cl", "-O3", "-target", "amdgcn-amd-amdhsa", f"-mcpu={program['target']}",
                   "-nogpulib", "-Xclang", "-finclude-default-header", *self.library(program["target"]),
                   *program["options"].split(), "-S", "-o", assembly, source])
        return largest(r"\.private_segment_fixed_size: (\d+)", assembly.read_text())


class Intel:
    """Intel's own compiler, offline."""

    unit = "thread"

    @staticmethod
    def ocloc():
        return os.environ.get("OCLOC") or shutil.which("ocloc")

    def problem(self, target):
        if not self.ocloc():
            return "ocloc is missing (intel-opencl-icd)"
        known = subprocess.run([self.ocloc(), "compile", "--help"], stdout=subprocess.PIPE, text=True).stdout
        return "" if re.search(rf"\b{target}\b", known) else f"this ocloc does not know {target}; OCLOC names another one"

    def spilled(self, program, source, folder):
        out = folder / source.stem
        output_of([self.ocloc(), "compile", "-file", source, "-device", program["target"], "--format", "zebin",
                   "-options", program["options"], "-output", "out", "-output_no_suffix", "-out_dir", out])
        # What the driver reads as well: the section .ze_info is text.
        binary = b"".join(file.read_bytes() for file in out.iterdir() if file.suffix != ".spv").decode("latin-1")
        if "execution_env" not in binary:
            raise Refused("the binary does not say what memory it needs")
        buffers = re.search(r"per_thread_memory_buffers:(.*?)\n(?:    \w|\w|\.\.\.)", binary, re.DOTALL)
        return sum(int(size) for size in re.findall(r"size: +(\d+)", buffers[1])) if buffers else 0


class Nvidia:
    """clang's PTX through NVIDIA's assembler."""

    unit = "work-item"
    newest_of_clang = 90

    @staticmethod
    def assemblers():
        named = os.environ.get("PTXAS")
        if named:
            return [named]
        places = [shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
        places += [str(pathlib.Path(folder) / "nvidia/cuda_nvcc/bin/ptxas") for folder in sys.path]
        return [place for place in places if place and os.access(place, os.X_OK)]

    def assembler(self, target):
        for ptxas in self.assemblers():
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

    def spilled(self, program, source, folder):
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
            text = re.sub(r"(?m)^(\s*\.reqntid)", f".maxnreg {program['registers']}\n\\1", text)
        ptx.write_text(text)
        try:
            said = output_of([self.assembler(target), f"-arch={final}", "-v", ptx, "-o", ptx.with_suffix(".cubin")])
        except Refused as refused:
            # NVIDIA's driver gives OpenCL more than the 48 KiB of local memory that the assembler allows by itself.
            said = str(refused)
            if "uses too much shared data" not in said or said.count("error") != 1:
                raise
        return max(largest(r"(\d+) bytes stack frame", said), largest(r"(\d+) bytes spill stores", said))


def compiler_of(target):
    return Amd() if target.startswith("gfx") else Nvidia() if target.startswith("sm_") else Intel()


def compiled(program, folder):
    source = folder / program["file"]
    try:
        return program, compiler_of(program["target"]).spilled(program, source, folder), ""
    except Refused as refused:
        return program, 0, str(refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chosen")
    parser.add_argument("--few", action="store_true", help="three shapes, kernels on fp32 units alone")
    parser.add_argument("--targets", default="", help="only these, with commas between them")
    parser.add_argument("--keep", help="leave sources and what became of them in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        subprocess.run([arguments.chosen, folder, *(["--few"] if arguments.few else [])], check=True)
        programs = json.loads((folder / "programs.json").read_text())
        return compile_all(programs, [name for name in arguments.targets.split(",") if name], folder)


def compile_all(programs, wanted, folder):
    targets = [target for target in dict.fromkeys(p["target"] for p in programs) if not wanted or target in wanted]
    problems = {target: compiler_of(target).problem(target) for target in targets}
    tried = [program for program in programs if problems.get(program["target"]) == ""]
    results = {}
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, spilled, refused in pool.map(lambda program: compiled(program, folder), tried):
            of_target = results.setdefault(program["target"], {"programs": 0, "refused": 0, "spill": 0, "most": 0})
            of_target["programs"] += 1
            of_target["refused"] += refused != ""
            of_target["spill"] += spilled != 0
            of_target["most"] = max(of_target["most"], spilled)
            if refused or spilled:
                failed = True
                what = f"does not compile:\n{refused}" if refused else f"spills {spilled} bytes a {compiler_of(program['target']).unit}"
                print(f"{program['target']}: {program['kernel']} {program['values']} ({program['file']}) {what}")
                print(f"    chosen for {'; '.join(program['calls'][:3])}{', ...' if len(program['calls']) > 3 else ''}")
    print("| target | programs | refused | with spills | most bytes |\n|---|--:|--:|--:|--:|")
    for target, of_target in results.items():
        print(f"| {target} | {' | '.join(str(value) for value in of_target.values())} |")
    for target, problem in problems.items():
        if problem:
            print(f"NOT COMPILED: {target}: {problem}")
    if not tried:
        print("SKIPPED: there is no compiler")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

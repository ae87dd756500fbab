"""Assembles made-up programs as kernels/precompiled/assemble.py does, and checks the machine code and its archive.

It needs NVIDIA's assembler (tests/vendors/compilers.py), but no GPU.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels/precompiled"), str(ROOT / "tests/vendors")]

import assemble
import compilers

ASSEMBLER = compilers.Nvidia.assembler("sm_90a")

# A kernel that writes to each of its arrays in shared memory. `.version` is that of a newer driver.
PTX = """//
.version 99.0
.target sm_90a, texmode_independent
.address_size 64

.entry gemm(.param .u64 .ptr .global .align 4 gemm_param_0)
.reqntid 128, 1, 1
{{
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	// demoted variable
	.shared .align 1024 .b8 gemm_memory[{bytes}];
	// demoted variable
	.shared .align 8 .b8 gemm_barriers[48];
	// demoted variable
	.shared .align 4 .u32 gemm_least;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, gemm_memory;
	mov.u32 %r3, gemm_barriers;
	add.s32 %r4, %r2, %r1;
	st.shared.u32 [%r4], %r1;
	st.shared.u32 [%r3], %r1;
	st.shared.u32 [gemm_least], %r1;
	bar.sync 0;
	ld.shared.u32 %r5, [%r4+64];
	ld.shared.u32 %r6, [%r3+8];
	add.s32 %r7, %r5, %r6;
	ld.param.u64 %rd1, [gemm_param_0];
	st.global.u32 [%rd1], %r7;
	ret;
}}
"""


def shared_bytes(cubin, folder):
    """Returns the bytes of shared memory by readelf. The device keeps 1024 more for itself."""
    path = folder / "read.cubin"
    path.write_bytes(cubin)
    listed = subprocess.run(["readelf", "-SlW", path], capture_output=True, text=True).stdout
    of_section = int(re.search(r"\.nv\.shared\.gemm +NOBITS +\w+ +\w+ +(\w+)", listed)[1], 16)
    of_segment = int(re.search(r"LOAD +\w+ \w+ \w+ 0x0+ 0x(\w+) RW", listed)[1], 16)
    assert of_section == of_segment
    return of_section - 1024


class Assemble(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def machine_code(self, bytes_of_memory):
        return assemble.assemble(PTX.format(bytes=bytes_of_memory), self.folder, ASSEMBLER)

    def test_a_kernel_has_its_shared_memory_also_if_it_is_more_than_the_assembler_allows(self):
        self.assertEqual(shared_bytes(self.machine_code(4096), self.folder), 4096 + 48 + 4)
        # The array of 200000 bytes lies at a multiple of its alignment.
        self.assertEqual(shared_bytes(self.machine_code(200000), self.folder), 1024 + 200000)

    def test_only_the_two_sizes_change(self):
        text, more = assemble.fitting(assemble.for_assembler(PTX.format(bytes=100000)))
        self.assertEqual(more, 100000)
        self.assertEqual(assemble.fitting(text), (text, 0))
        cubin = self.machine_code(100000)
        self.assertEqual(shared_bytes(assemble.grown(cubin, "gemm", 512), self.folder), shared_bytes(cubin, self.folder) + 512)
        self.assertEqual(assemble.grown(assemble.grown(cubin, "gemm", 512), "gemm", -512), cubin)
        with self.assertRaisesRegex(ValueError, "fallback has no static shared memory"):
            assemble.grown(cubin, "fallback", 512)

    def test_a_stack_frame_is_found(self):
        self.assertEqual(assemble.frame_bytes(self.machine_code(4096)), 0)
        local = PTX.format(bytes=4096).replace("	mov.u32 %r1,", """	.local .align 4 .b8 frame[40];
	mov.u64 %rd2, frame;
	ld.param.u64 %rd3, [gemm_param_0];
	ld.global.u64 %rd4, [%rd3];
	add.s64 %rd5, %rd2, %rd4;
	st.local.u32 [%rd5], 7;
	ld.local.u64 %rd6, [%rd2+8];
	st.global.u64 [%rd3], %rd6;
	mov.u32 %r1,""", 1)
        self.assertEqual(assemble.frame_bytes(assemble.assemble(local, self.folder, ASSEMBLER)), 40)

    @unittest.skipUnless(shutil.which("zstd"), "NOT TESTED: zstd is missing")
    @unittest.skipUnless(ASSEMBLER and assemble.is_of_cuda_12(ASSEMBLER), "NOT TESTED: ptxas is not that of CUDA 12")
    def test_an_archive_has_programs_by_their_hashes_and_keeps_machine_code(self):
        programs = self.folder / "programs/mine-SIDE8.cubin"
        programs.mkdir(parents=True)
        cubin = self.machine_code(100000)
        (programs / "0123456789abcdef").write_bytes(PTX.format(bytes=100000).encode() + b"\0\0")
        (programs / "fedcba9876543210").write_bytes(cubin)
        archives = self.folder / "archives"
        archives.mkdir()
        (archives / "old.cubin.zst").touch()
        done = subprocess.run([sys.executable, assemble.__file__, programs.parent, archives], capture_output=True, text=True,
                              env={**os.environ, "PTXAS": ASSEMBLER})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 programs of 1 kernels", done.stdout)
        self.assertEqual([file.name for file in archives.iterdir()], ["mine-SIDE8.cubin.zst"])
        content = subprocess.run(["zstd", "-dcq", archives / "mine-SIDE8.cubin.zst"], capture_output=True).stdout
        self.assertEqual(content, b"// program 0123456789abcdef 0\n" + cubin + b"// program fedcba9876543210 0\n" + cubin)

    def test_a_refused_program_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "refuses a program"):
            assemble.assemble(PTX.format(bytes=4096).replace("bar.sync", "bar.sink"), self.folder, ASSEMBLER)


if __name__ == "__main__":
    if not ASSEMBLER:
        print("NOT TESTED: no ptxas that knows sm_90a (nvidia-cuda-nvcc-cu12 of PyPI)")
        sys.exit(77)
    unittest.main(verbosity=2)  # with the reasons of skipped tests

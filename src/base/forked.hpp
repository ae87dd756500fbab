// fork(): the threads of an OpenCL driver do not exist in the child, and a command there would wait for them
// forever. The process that first uses OpenCL is noted here, so that its children can detect it.
#pragma once

namespace clgemm {

// Must be called before any OpenCL call. Throws Error(forked_process) if a process from which this one was
// forked has called it.
void claim_process();

// Returns true in such a child. There, OpenCL's objects are neither used nor released, and no lock is taken
// that a thread of the parent may have held.
bool is_forked_child() noexcept;

}  // namespace clgemm

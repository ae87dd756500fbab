// fork(): the threads of an OpenCL driver are not in the child, and a command there would wait for them for
// ever. The process that uses OpenCL first is noted here, so that its children can be told.
#pragma once

namespace clgemm {

// To be called before anything is asked of OpenCL. Throws Error(forked_process) where a process that this one
// was forked from has called it.
void claim_process();

// True in such a child: there OpenCL's objects are neither used nor released, and no lock is waited for that
// a thread of the parent may have held.
bool is_forked_child() noexcept;

}  // namespace clgemm

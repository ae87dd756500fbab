// Finds the real CLBlast, if the process has it. It gets the calls that clgemm does not take, and those that
// both libraries must handle.
#pragma once

namespace clgemm::clblast_names {

// Returns the address of the next function in the process that has the name of `own`; null if there is none.
void* next_of_name(void* own);

// Returns the function of the real CLBlast that has the name of `own`, a function that this library exports.
// Returns null if the process has no CLBlast.
template <class Function>
Function* real(Function* own) {
  return reinterpret_cast<Function*>(next_of_name(reinterpret_cast<void*>(own)));
}

}  // namespace clgemm::clblast_names

# CMake's toolchain file for Windows on x86-64, with Debian's mingw-w64 (g++-mingw-w64-x86-64-posix), for the
# preset `windows`. Programs that the build or a test starts run under Wine. packages.cmake in this folder provides
# the packages that find_package() needs.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)  # its C++ library has threads
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_DLLTOOL x86_64-w64-mingw32-dlltool)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/under_wine)
# Windows 10 is the oldest supported version, for the functions that the headers declare.
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0A00")

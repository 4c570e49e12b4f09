# SPDX-License-Identifier: BSD-3-Clause
# daedal_kernel_instruction_sets(<target>), for a target of this folder made from src/kernel.
# Lane kernels are compiled once per instruction set; the machine's own is chosen at run time.
# Everything else stays at the baseline.
function(daedal_kernel_instruction_sets target)
  set(folder ${PROJECT_SOURCE_DIR}/src/kernel)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(${folder}/lanes/lanes_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2")
    set_source_files_properties(${folder}/lanes/lanes_avx512.cpp PROPERTIES
      COMPILE_OPTIONS "-mavx512f;-mavx512dq")
    target_compile_definitions(${target} PRIVATE DAEDAL_KERNEL_X86_LANES)
  else()
    set_source_files_properties(${folder}/lanes/lanes_avx2.cpp ${folder}/lanes/lanes_avx512.cpp PROPERTIES
      HEADER_FILE_ONLY ON)
  endif()
  # Series are short: GCC's vectorised loops spend more on set-up than they save (a factor of two
  # at order 5, see docs/performance.md).
  set_source_files_properties(${folder}/taylor.cpp PROPERTIES
    COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-vectorize>)
  # Their options differ from those that the precompiled header was made with.
  set_source_files_properties(${folder}/taylor.cpp ${folder}/lanes/lanes_avx2.cpp
    ${folder}/lanes/lanes_avx512.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  # Each defines the same names for its own kind of number.
  file(GLOB lanes ${folder}/lanes/*.cpp)
  set_source_files_properties(${lanes} ${folder}/scalar.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(DAEDAL_LIB_mvec)
    target_compile_definitions(${target} PRIVATE DAEDAL_HAVE_LIBMVEC)
  endif()
endfunction()

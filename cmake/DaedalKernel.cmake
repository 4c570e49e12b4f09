# SPDX-License-Identifier: BSD-3-Clause
# daedal_kernel_instruction_sets(<target>), for a target of this folder made from src/kernel.
# Lane kernels are compiled once per instruction set; the machine's own is chosen at run time.
# Everything else stays at the baseline.
function(daedal_kernel_instruction_sets target)
  set(folder ${PROJECT_SOURCE_DIR}/src/kernel)
  set(avx2 ${folder}/lanes/lanes_avx2.cpp)
  set(avx512 ${folder}/lanes/lanes_avx512.cpp)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(${avx2} PROPERTIES COMPILE_OPTIONS "-mavx2")
    set_source_files_properties(${avx512} PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq")
    target_compile_definitions(${target} PRIVATE DAEDAL_KERNEL_X86_LANES)
  else()
    set_source_files_properties(${avx2} ${avx512} PROPERTIES HEADER_FILE_ONLY ON)
  endif()
  # Series are short: GCC's vectorised loops spend more on set-up than they save (a factor of two
  # at order 5, see docs/performance.md).
  set_source_files_properties(${folder}/taylor.cpp PROPERTIES
    COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-vectorize>)
  # Their options differ from those that the precompiled header was made with.
  set_source_files_properties(${folder}/taylor.cpp ${avx2} ${avx512} PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON)
  # Each defines the same names for its own kind of number.
  file(GLOB lanes ${folder}/lanes/*.cpp)
  set_source_files_properties(${lanes} ${avx2} ${avx512} ${folder}/scalar.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
  if(DAEDAL_WITH_NATIVE)
    target_compile_definitions(${target} PRIVATE DAEDAL_NATIVE)
    target_link_libraries(${target} PRIVATE asmjit::asmjit)
  else()
    set_source_files_properties(${folder}/native/assemble.cpp ${folder}/native/micro_code.cpp
      PROPERTIES HEADER_FILE_ONLY ON)
  endif()
endfunction()

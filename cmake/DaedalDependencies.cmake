# SPDX-License-Identifier: BSD-3-Clause
# The libraries Daedal stands on, all of them Debian packages: see scripts/install-deps.sh.

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)

find_path(DAEDAL_SUNDIALS_INCLUDE ida/ida.h REQUIRED)
find_path(DAEDAL_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)

add_library(daedal_dependencies INTERFACE)
target_include_directories(daedal_dependencies SYSTEM INTERFACE
  ${DAEDAL_SUNDIALS_INCLUDE} ${DAEDAL_KLU_INCLUDE})
target_link_libraries(daedal_dependencies INTERFACE Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json
  Threads::Threads)
foreach(library sundials_ida sundials_cvode sundials_nvecserial sundials_generic klu btf amd colamd
        suitesparseconfig)
  find_library(DAEDAL_LIB_${library} ${library} REQUIRED)
  target_link_libraries(daedal_dependencies INTERFACE ${DAEDAL_LIB_${library}})
endforeach()
# Machine code, written by src/kernel/native.
include(CMakeDependentOption)
cmake_dependent_option(DAEDAL_WITH_NATIVE "Evaluate equations as machine code (needs asmjit)" ON
  "CMAKE_SYSTEM_PROCESSOR MATCHES x86_64|AMD64" OFF)
if(DAEDAL_WITH_NATIVE)
  find_package(asmjit CONFIG REQUIRED)
  target_link_libraries(daedal_dependencies INTERFACE $<LINK_ONLY:asmjit::asmjit>)
endif()

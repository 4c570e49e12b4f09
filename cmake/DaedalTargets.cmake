# SPDX-License-Identifier: BSD-3-Clause
# How every target of the project is compiled.

set(DAEDAL_UNITY OFF CACHE STRING "Compile sources together: OFF, folders, layers")
add_library(daedal_flags INTERFACE)
target_compile_options(daedal_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion
  # In a layer that is compiled as one, constants of a source seem to be an outer scope of the next.
  $<$<NOT:$<STREQUAL:${DAEDAL_UNITY},layers>>:-Wshadow>
  # Indices are signed, subscripts of the standard library are not: clang would warn of each.
  -Wno-sign-conversion
  $<$<BOOL:${DAEDAL_WARNINGS_AS_ERRORS}>:-Werror>
  # Fused multiply-add is used where the code asks for it, never behind its back:
  # results must not depend on how the compiler contracts an expression.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside its own headers when it inlines std::string and std::vector.
  target_compile_options(daedal_flags INTERFACE
    -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
endif()
target_compile_definitions(daedal_flags INTERFACE EIGEN_DONT_PARALLELIZE)
if(DAEDAL_SANITIZE)
  target_compile_options(daedal_flags INTERFACE
    -fsanitize=${DAEDAL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(daedal_flags INTERFACE -fsanitize=${DAEDAL_SANITIZE})
  # What these would find stops under the address sanitizer too; they double the compile time.
  target_compile_options(daedal_flags INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
endif()

# daedal_precompile(<target> <header>): parses the heavy headers once per kind of target. For builds
# from scratch it halves the time; with a warm compiler cache it costs more than it brings. `tests`: for
# tests alone, where the layers are compiled folder by folder.
set(DAEDAL_PRECOMPILE "$ENV{CI}" CACHE STRING "Precompile Eigen, fmt and GoogleTest: ON, OFF, tests")
function(daedal_precompile target header)
  get_filename_component(kind ${header} NAME_WE)
  if(NOT DAEDAL_PRECOMPILE OR (DAEDAL_PRECOMPILE STREQUAL "tests" AND NOT kind STREQUAL "precompiled_tests"))
    return()
  endif()
  get_property(first GLOBAL PROPERTY DAEDAL_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${header})
    set_property(GLOBAL PROPERTY DAEDAL_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

# daedal_unite(<target>): compiles the sources of a folder as one (`folders`), or those of a layer
# (`layers`), which makes the shortest build from scratch: templates of Eigen are instantiated once a
# unit, and take most of its time. A build after an edit takes longer, so that `dev` and `make tidy`
# compile each source by itself.
set(DAEDAL_APART kernel)  # whose folders are written for different instructions
function(daedal_unite target)
  string(COMPARE NOTEQUAL "${DAEDAL_UNITY}" OFF is_united)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${is_united} UNITY_BUILD_MODE GROUP)
  if(NOT DAEDAL_UNITY)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes a source that is included for a header, whose anonymous namespaces would differ.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(REGEX REPLACE "^(src|apps)/([^/]*).*" "\\2" layer ${folder})
    if(DAEDAL_UNITY STREQUAL "layers" AND NOT layer IN_LIST DAEDAL_APART)
      set(group ${layer})
    else()
      string(REPLACE "/" "_" group ${folder})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# daedal_runs_once(<target>): for code outside the library, which is not worth long optimisation.
function(daedal_runs_once target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# daedal_layer(<name>): one object library from every source of src/<name>.
# Sources are globbed: a layer is its folder, and CONFIGURE_DEPENDS keeps the build honest.
function(daedal_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(daedal_${name} OBJECT ${sources})
  target_include_directories(daedal_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(daedal_${name} PUBLIC daedal_dependencies PRIVATE daedal_flags)
  target_compile_definitions(daedal_${name} PRIVATE daedal_EXPORTS)
  daedal_unite(daedal_${name})
  daedal_precompile(daedal_${name} ${PROJECT_SOURCE_DIR}/cmake/precompiled_layers.hpp)
  set_property(GLOBAL APPEND PROPERTY DAEDAL_LAYERS daedal_${name})
endfunction()

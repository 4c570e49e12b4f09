# SPDX-License-Identifier: BSD-3-Clause
include(CMakePackageConfigHelpers)

install(TARGETS daedal EXPORT daedalTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS daedal_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(part MPI PETSC)
  if(DAEDAL_WITH_${part})
    string(TOLOWER daedal_${part} plugin)
    install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/daedal)
  endif()
endforeach()
install(DIRECTORY include/daedal ${PROJECT_BINARY_DIR}/include/daedal
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT daedalTargets NAMESPACE daedal:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/daedal)
configure_package_config_file(cmake/daedalConfig.cmake.in ${PROJECT_BINARY_DIR}/daedalConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/daedal)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/daedalConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/daedalConfig.cmake ${PROJECT_BINARY_DIR}/daedalConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/daedal)
file(RELATIVE_PATH pkgconfig_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/daedal.pc.in ${PROJECT_BINARY_DIR}/daedal.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/daedal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The manual page and the completions, from the help of the program (scripts/make-help.py). Debian's packages are
# made by debian/rules.
install(DIRECTORY share/ DESTINATION ${CMAKE_INSTALL_DATADIR})

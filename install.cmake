# What `cmake --install` leaves: the program with its configurations; a library of all but the program, with its headers
# and a CMake package, for find_package(a3sim); and, through CPack, a Debian package of it all.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Whoever links it takes it whole: files register themselves.
add_library(a3sim_library STATIC)
set_target_properties(a3sim_library PROPERTIES OUTPUT_NAME a3sim LINKER_LANGUAGE CXX)
foreach(name sim_core models scheduler sim_device sim_memory sim_network sim_runtime sim_experiment traces sim_diagnosis ${user_libraries})
  target_sources(a3sim_library PRIVATE $<TARGET_OBJECTS:${name}> $<TARGET_PROPERTY:${name},INTERFACE_SOURCES>)
endforeach()
# All that is installed, and no test. Whoever installs or packs has built it before.
add_custom_target(installed DEPENDS a3sim a3sim_library a3sim_simgrid)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(headers ${CMAKE_INSTALL_INCLUDEDIR}/a3sim)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/a3sim)
set_target_properties(a3sim PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/a3sim")
install(TARGETS a3sim RUNTIME)
set(A3SIM_MODULES lib/a3sim)
install(TARGETS a3sim_simgrid LIBRARY DESTINATION ${A3SIM_MODULES})
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/a3sim)
install(TARGETS a3sim_library ARCHIVE)
install(DIRECTORY sim models scheduler traces DESTINATION ${headers} FILES_MATCHING PATTERN "*.h"
  PATTERN "sim/cli" EXCLUDE PATTERN "node_modules" EXCLUDE PATTERN "web" EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/generated/version.h DESTINATION ${headers})
install(FILES ${CMAKE_BINARY_DIR}/generated/scheduler/ssc/ssc_generated.h DESTINATION ${headers}/scheduler/ssc)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(package.cmake.in ${CMAKE_BINARY_DIR}/generated/a3simConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR A3SIM_MODULES)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/a3simConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/a3simConfig.cmake ${CMAKE_BINARY_DIR}/generated/a3simConfigVersion.cmake
  DESTINATION ${package})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "a3sim maintainers <a3sim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Simulator of Mixture-of-Experts training on Ascend A3 NPUs")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# What the program is linked with, asked of the system; what the library's users need besides are headers.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libboost-dev, libeigen3-dev, libfmt-dev, libspdlog-dev, libyaml-cpp-dev, \
nlohmann-json3-dev, libmuparser-dev, libflatbuffers-dev, libsqlitecpp-dev, libnlopt-cxx-dev, \
zlib1g-dev, libcli11-dev, python3-numpy, python3-pandas")
include(CPack)

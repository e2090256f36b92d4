# What `make install` brings, in three components. The first two are in a wheel too, below its package.
#   program      the program, the library with what it needs, the workers, the rules, the start graphs and HLO modules of `isomer bench`
#   development  the headers and find_package(Isomer)
#   link         the library's name without its version: wheels hold no links
# HiGHS comes from a wheel, so its library goes along, into a folder of our own.
include(CMakePackageConfigHelpers)

set(private_libraries ${CMAKE_INSTALL_LIBDIR}/isomer)
install(TARGETS isomer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS isomer_library EXPORT IsomerTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT program NAMELINK_COMPONENT link)
install(PROGRAMS ${HIGHS_LIBRARY} DESTINATION ${private_libraries} COMPONENT program)
set(data ${CMAKE_INSTALL_DATADIR}/isomer)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/workers DESTINATION ${data} COMPONENT program FILES_MATCHING PATTERN "*.py"
        PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/rules DESTINATION ${data} COMPONENT program)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tests/data/tensat/models/dag/ DESTINATION ${data}/start_graphs COMPONENT program)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tests/hlo/corpus/ DESTINATION ${data}/hlo_modules COMPONENT program
        PATTERN "algsimp" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

install(EXPORT IsomerTargets NAMESPACE isomer:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Isomer COMPONENT development)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/IsomerConfig.cmake.in
  ${CMAKE_BINARY_DIR}/IsomerConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Isomer)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/IsomerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/IsomerConfig.cmake ${CMAKE_BINARY_DIR}/IsomerConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Isomer COMPONENT development)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/isomer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

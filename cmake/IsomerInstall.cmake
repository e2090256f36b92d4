# What `make install` brings: the program, the C++ library behind its one header with find_package(Isomer), the
# worker programs, the rules. HiGHS comes from a wheel, so its libraries go along, into a folder of our own.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(private_libraries ${CMAKE_INSTALL_LIBDIR}/isomer)
file(RELATIVE_PATH from_programs /${CMAKE_INSTALL_BINDIR} /${private_libraries})
set_target_properties(isomer PROPERTIES INSTALL_RPATH "$ORIGIN/${from_programs}")
install(TARGETS isomer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# All layers in one shared library: who links it needs none of the packages that Isomer was built with.
add_library(isomer_library SHARED $<TARGET_OBJECTS:isomer_api>)
target_link_libraries(isomer_library PRIVATE isomer_api)
target_include_directories(isomer_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                           $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
target_compile_features(isomer_library INTERFACE cxx_std_20)
set_target_properties(isomer_library PROPERTIES OUTPUT_NAME isomer EXPORT_NAME isomer LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN/isomer")
install(TARGETS isomer_library EXPORT IsomerTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT IsomerTargets NAMESPACE isomer:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Isomer)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/IsomerConfig.cmake.in
  ${CMAKE_BINARY_DIR}/IsomerConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Isomer)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/IsomerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/IsomerConfig.cmake ${CMAKE_BINARY_DIR}/IsomerConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Isomer)

cmake_path(GET HIGHS_LIBRARY PARENT_PATH highs_folder)
install(DIRECTORY ${highs_folder}/ DESTINATION ${private_libraries} FILES_MATCHING PATTERN "*.so*"
        PATTERN cmake EXCLUDE PATTERN pkgconfig EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/isomer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/workers DESTINATION ${CMAKE_INSTALL_DATADIR}/isomer FILES_MATCHING PATTERN "*.py")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/rules DESTINATION ${CMAKE_INSTALL_DATADIR}/isomer)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

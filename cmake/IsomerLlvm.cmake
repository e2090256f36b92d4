# The library that holds LLVM: one file, opened at first use (src/native/compiler.h). Without LLVM 19.1 or newer it
# is left out, and whoever needs machine code is told so.
include(GNUInstallDirs)
set(native_folder ${CMAKE_INSTALL_LIBDIR}/isomer)  # below the prefix
find_package(LLVM 19.1 QUIET CONFIG PATHS /usr/lib/llvm-19 /usr/lib/llvm-20 /usr/lib/llvm-21 /usr/lib/llvm-22)
if(LLVM_FOUND)
  add_library(isomer_llvm SHARED ${CMAKE_SOURCE_DIR}/src/native/library/llvm_library.cpp)
  target_include_directories(isomer_llvm PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(isomer_llvm SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(isomer_llvm PRIVATE -fno-rtti -fvisibility=hidden)
  set_target_properties(isomer_llvm PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  if(TARGET LLVM)
    target_link_libraries(isomer_llvm PRIVATE LLVM)
  else()
    llvm_map_components_to_libnames(llvm_libraries core irreader orcjit passes native)
    target_link_libraries(isomer_llvm PRIVATE ${llvm_libraries})
  endif()
  find_package(LLD QUIET CONFIG PATHS ${LLVM_INSTALL_PREFIX} NO_DEFAULT_PATH)
  if(LLD_FOUND)
    target_include_directories(isomer_llvm SYSTEM PRIVATE ${LLD_INCLUDE_DIRS})
    target_link_libraries(isomer_llvm PRIVATE lldELF lldCommon)
    target_compile_definitions(isomer_llvm PRIVATE ISOMER_LLD)
  else()
    message(STATUS "lld is not installed: no shared objects are made")
  endif()
  add_dependencies(isomer_native isomer_llvm)
  set(llvm_path $<TARGET_FILE:isomer_llvm>)
  install(TARGETS isomer_llvm LIBRARY DESTINATION ${native_folder})
else()
  message(STATUS "LLVM 19.1 or newer is not installed: no machine code is generated")
endif()
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/native/compiler.cpp APPEND PROPERTY COMPILE_DEFINITIONS
  "ISOMER_DEFAULT_LLVM=\"${llvm_path}\"" "ISOMER_INSTALLED_LLVM=\"${native_folder}/libisomer_llvm.so\"")

# What is linked into each shared object that is compiled: C++ without its library, never instrumented.
add_library(isomer_runtime_archive STATIC ${CMAKE_SOURCE_DIR}/src/native/runtime/runtime.cpp
  ${CMAKE_SOURCE_DIR}/src/native/library/model.cpp ${CMAKE_SOURCE_DIR}/src/native/library/half.cpp)
target_include_directories(isomer_runtime_archive PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_options(isomer_runtime_archive PRIVATE -O2 -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti
  -fno-sanitize=all)
set_target_properties(isomer_runtime_archive PROPERTIES OUTPUT_NAME isomer_model)
add_dependencies(isomer_native isomer_runtime_archive)
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/native/compiler.cpp APPEND PROPERTY COMPILE_DEFINITIONS
  "ISOMER_DEFAULT_RUNTIME=\"$<TARGET_FILE:isomer_runtime_archive>\""
  "ISOMER_INSTALLED_RUNTIME=\"${native_folder}/libisomer_model.a\"")
install(TARGETS isomer_runtime_archive ARCHIVE DESTINATION ${native_folder})

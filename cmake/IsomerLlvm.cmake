# The library that holds LLVM: one file, opened at first use (src/native/compiler.h). Without LLVM 19.1 or newer it
# is left out, and whoever needs machine code is told so. It is linked from LLVM's archives, with this machine's kind of
# processor, NVIDIA's and, where a compiler for it is found, AArch64's alone: half as large as the shared library of them
# all, and nothing that others in the process have of LLVM can be met.
include(GNUInstallDirs)
option(ISOMER_LLVM_ARCHIVES "Link LLVM's archives where they are, not its shared library" ON)
find_program(ISOMER_AARCH64_COMPILER aarch64-linux-gnu-g++)
set(native_folder ${CMAKE_INSTALL_LIBDIR}/isomer)  # below the prefix
find_package(LLVM 19.1 QUIET CONFIG PATHS /usr/lib/llvm-19 /usr/lib/llvm-20 /usr/lib/llvm-21 /usr/lib/llvm-22)
set(for_aarch64 OFF)  # whether code is generated for it, elsewhere than there
if(LLVM_FOUND AND ISOMER_AARCH64_COMPILER AND "AArch64" IN_LIST LLVM_TARGETS_TO_BUILD
    AND NOT LLVM_NATIVE_ARCH STREQUAL "AArch64")
  set(for_aarch64 ON)
endif()

# isomer_llvm_archives(KNOWN...): links LLVM for this kind of processor and the KNOWN.
function(isomer_llvm_archives)
  llvm_map_components_to_libnames(libraries core irreader orcjit passes lto option native ${ARGN})
  if(LLD_FOUND)  # by their paths: as targets they would bring LLVM's shared library
    target_link_libraries(isomer_llvm PRIVATE $<TARGET_FILE:lldELF> $<TARGET_FILE:lldCommon>)
  endif()
  target_link_libraries(isomer_llvm PRIVATE ${libraries})
  target_link_options(isomer_llvm PRIVATE LINKER:--as-needed LINKER:--gc-sections LINKER:-z,defs)
  set_target_properties(LLVMExtensions PROPERTIES INTERFACE_LINK_LIBRARIES LLVMSupport)
  set(absent ${LLVM_TARGETS_TO_BUILD})
  list(REMOVE_ITEM absent ${ARGN} ${LLVM_NATIVE_ARCH})
  list(TRANSFORM absent REPLACE "(.+)" "ISOMER_ABSENT(\\1)\n")
  list(JOIN absent "" absent)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/assets/llvm_absent.inc CONTENT "${absent}" @ONLY)
  target_sources(isomer_llvm PRIVATE ${CMAKE_SOURCE_DIR}/src/native/library/llvm_absent.cpp)
  target_include_directories(isomer_llvm PRIVATE ${CMAKE_BINARY_DIR}/assets)
endfunction()

function(isomer_llvm_library)
  add_library(isomer_llvm SHARED ${CMAKE_SOURCE_DIR}/src/native/library/llvm_library.cpp)
  target_include_directories(isomer_llvm PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(isomer_llvm SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(isomer_llvm PRIVATE -fno-rtti -fvisibility=hidden)
  set_target_properties(isomer_llvm PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  set(known "")
  if("NVPTX" IN_LIST LLVM_TARGETS_TO_BUILD)
    list(APPEND known NVPTX)
    target_compile_definitions(isomer_llvm PRIVATE ISOMER_NVPTX)
  else()
    message(STATUS "this LLVM does not know NVPTX: no code for graphics processors is generated")
  endif()
  if(for_aarch64)
    list(APPEND known AArch64)
    target_compile_definitions(isomer_llvm PRIVATE ISOMER_AARCH64)
  endif()
  find_package(LLD QUIET CONFIG PATHS ${LLVM_INSTALL_PREFIX} NO_DEFAULT_PATH)
  if(LLD_FOUND)
    target_include_directories(isomer_llvm SYSTEM PRIVATE ${LLD_INCLUDE_DIRS})
    target_compile_definitions(isomer_llvm PRIVATE ISOMER_LLD)
  else()
    message(STATUS "lld is not installed: no shared objects are made")
  endif()
  # What a sanitizer instruments here and what stands in the archives would be one function of two kinds.
  if(TARGET LLVM AND (ISOMER_SANITIZE OR NOT ISOMER_LLVM_ARCHIVES OR NOT TARGET LLVMCore))
    target_link_libraries(isomer_llvm PRIVATE "$<$<BOOL:${LLD_FOUND}>:lldELF;lldCommon>" LLVM)
  else()
    isomer_llvm_archives(${known})
  endif()
  isomer_exports(isomer_llvm isomer_llvm_api)
  install(TARGETS isomer_llvm LIBRARY DESTINATION ${native_folder} COMPONENT program)
endfunction()

if(LLVM_FOUND)
  isomer_llvm_library()
  add_dependencies(isomer_native isomer_llvm)
  set(llvm_path $<TARGET_FILE:isomer_llvm>)
else()
  message(STATUS "LLVM 19.1 or newer is not installed: no machine code is generated")
endif()
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/native/compiler.cpp APPEND PROPERTY COMPILE_DEFINITIONS
  "ISOMER_DEFAULT_LLVM=\"${llvm_path}\"" "ISOMER_INSTALLED_LLVM=\"${native_folder}/libisomer_llvm.so\"")

# What is linked into each shared object that is compiled: C++ without its library, never instrumented.
set(native ${CMAKE_SOURCE_DIR}/src/native)
set(native_options -O2 -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti -fno-threadsafe-statics)
# isomer_native_file(MACRO FILE NAME): where the compiler finds it, built and installed.
function(isomer_native_file macro file name)
  set_property(SOURCE ${native}/compiler.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    "ISOMER_DEFAULT_${macro}=\"${file}\"" "ISOMER_INSTALLED_${macro}=\"${native_folder}/${name}\"")
endfunction()
function(isomer_archive target output macro)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE ${native_options} -fno-sanitize=all)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output})
  add_dependencies(isomer_native ${target})
  isomer_native_file(${macro} $<TARGET_FILE:${target}> lib${output}.a)
  install(TARGETS ${target} ARCHIVE DESTINATION ${native_folder} COMPONENT program)
endfunction()
isomer_archive(isomer_runtime_archive isomer_model RUNTIME
  ${native}/runtime/runtime.cpp ${native}/library/model.cpp ${native}/library/half.cpp)
isomer_archive(isomer_gpu_archive isomer_gpu_model GPU_RUNTIME
  ${native}/runtime/gpu.cpp ${native}/library/gpu_model.cpp)
# The first for AArch64, as one object; atomic operations are not calls of its compiler's library, and of half.cpp nothing is
# needed there.
set(aarch64_model ${CMAKE_BINARY_DIR}/isomer_aarch64_model.o)
isomer_native_file(AARCH64_RUNTIME ${aarch64_model} isomer_aarch64_model.o)
if(for_aarch64)
  set(sources ${native}/runtime/runtime.cpp ${native}/library/model.cpp)
  add_custom_command(OUTPUT ${aarch64_model}
    COMMAND ${ISOMER_AARCH64_COMPILER} -std=c++20 ${native_options} -mno-outline-atomics -I${CMAKE_SOURCE_DIR}/src
      -I${CMAKE_SOURCE_DIR}/include -nostdlib -r -o ${aarch64_model} ${sources}
    DEPENDS ${sources} ${native}/runtime/runtime.h ${CMAKE_SOURCE_DIR}/include/isomer/model.h VERBATIM)
  add_custom_target(isomer_aarch64_model DEPENDS ${aarch64_model})
  add_dependencies(isomer_native isomer_aarch64_model)
  install(FILES ${aarch64_model} DESTINATION ${native_folder} COMPONENT program)
endif()

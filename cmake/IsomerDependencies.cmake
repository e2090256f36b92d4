# Libraries come from the system's packages, or from the wheels of the Python environment in the tree.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)  # cblas.h; picks its kernels by the processor
if(ISOMER_TESTS)
  find_package(GTest REQUIRED)
endif()

if(NOT Python3_EXECUTABLE AND EXISTS ${CMAKE_SOURCE_DIR}/.venv/bin/python)
  set(Python3_EXECUTABLE ${CMAKE_SOURCE_DIR}/.venv/bin/python)
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# isomer_ask_python(OUT CODE): what a line of Python prints, or a clear stop.
function(isomer_ask_python out code)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "${code}" OUTPUT_VARIABLE answer RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${Python3_EXECUTABLE} cannot run: ${code}\nRun `make build`, which installs what is missing.")
  endif()
  set(${out} "${answer}" PARENT_SCOPE)
endfunction()

# HiGHS: the C interface of the highsbox wheel (its C++ classes have another string ABI than this compiler).
isomer_ask_python(HIGHS_ROOT "import highsbox; print(highsbox.highs_dist_dir())")
find_library(HIGHS_LIBRARY highs PATHS ${HIGHS_ROOT}/lib ${HIGHS_ROOT}/lib64 NO_DEFAULT_PATH REQUIRED)
add_library(highs::c_api SHARED IMPORTED)
set_target_properties(highs::c_api PROPERTIES IMPORTED_LOCATION ${HIGHS_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES "${HIGHS_ROOT}/include;${HIGHS_ROOT}/include/highs")

# ONNX's schema, from the onnx wheel, compiled with the system's protoc. The schema asks for protobuf's lite
# run time; that line goes, since error messages need the reflection of the full one.
isomer_ask_python(ONNX_PACKAGE "import importlib.util as u, os; print(os.path.dirname(u.find_spec('onnx').origin))")
set(onnx_generated ${CMAKE_BINARY_DIR}/onnx_proto)
file(MAKE_DIRECTORY ${onnx_generated})
file(READ ${ONNX_PACKAGE}/onnx-ml.proto onnx_schema)
string(REPLACE "option optimize_for = LITE_RUNTIME;" "" onnx_schema "${onnx_schema}")
file(CONFIGURE OUTPUT ${onnx_generated}/onnx-ml.proto CONTENT "${onnx_schema}" @ONLY)
add_custom_command(
  OUTPUT ${onnx_generated}/onnx-ml.pb.cc ${onnx_generated}/onnx-ml.pb.h
  COMMAND protobuf::protoc --cpp_out=${onnx_generated} -I${onnx_generated} ${onnx_generated}/onnx-ml.proto
  DEPENDS ${onnx_generated}/onnx-ml.proto)
add_library(isomer_onnx_proto STATIC ${onnx_generated}/onnx-ml.pb.cc)
target_include_directories(isomer_onnx_proto SYSTEM PUBLIC ${onnx_generated})
target_compile_options(isomer_onnx_proto PRIVATE -w)
target_link_libraries(isomer_onnx_proto PUBLIC protobuf::libprotobuf)

# TASO's file of substitutions (src/rewrite/taso_rules.proto).
set(taso_generated ${CMAKE_BINARY_DIR}/taso_proto)
file(MAKE_DIRECTORY ${taso_generated})
add_custom_command(
  OUTPUT ${taso_generated}/taso_rules.pb.cc ${taso_generated}/taso_rules.pb.h
  COMMAND protobuf::protoc --cpp_out=${taso_generated} -I${CMAKE_SOURCE_DIR}/src/rewrite
          ${CMAKE_SOURCE_DIR}/src/rewrite/taso_rules.proto
  DEPENDS ${CMAKE_SOURCE_DIR}/src/rewrite/taso_rules.proto)
add_library(isomer_taso_proto STATIC ${taso_generated}/taso_rules.pb.cc)
target_include_directories(isomer_taso_proto SYSTEM PUBLIC ${taso_generated})
target_compile_options(isomer_taso_proto PRIVATE -w)
target_link_libraries(isomer_taso_proto PUBLIC protobuf::libprotobuf)

# What clang-tidy needs beside the sources.
add_custom_target(generated_headers DEPENDS ${onnx_generated}/onnx-ml.pb.h ${taso_generated}/taso_rules.pb.h)

# isomer_layer(NAME USES ... LIBS ... TESTS ...): all of src/NAME/**/*.cpp as one static library isomer_NAME, which
# sees the layers that it names (and what those use) and nothing else; its tests see those after TESTS as well. src/cli/main.cpp is the program, not the library;
# what stands in a folder `library` is one of its own.
function(isomer_layer name)
  cmake_parse_arguments(ARG "" "" "USES;LIBS;TESTS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$|/library/")
  set(uses ${ARG_USES})
  list(TRANSFORM uses PREPEND isomer_)
  if(sources)
    add_library(isomer_${name} STATIC ${sources})
    target_include_directories(isomer_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(isomer_${name} PUBLIC ${uses} ${ARG_LIBS})
    isomer_precompile(isomer_${name} layers)
  else()
    add_library(isomer_${name} INTERFACE)
    target_include_directories(isomer_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(isomer_${name} INTERFACE ${uses} ${ARG_LIBS})
  endif()
  set_property(GLOBAL APPEND PROPERTY ISOMER_LAYERS ${name})
  set_property(GLOBAL PROPERTY ISOMER_TESTS_OF_${name} ${ARG_TESTS})
endfunction()

# What tests keep between runs, apart from what the user's programs keep.
set(ISOMER_TEST_CACHE ${CMAKE_BINARY_DIR}/test_cache)
# Where a test that holds many cases writes how many (tools/cases.py).
set(ISOMER_TEST_CASES ${CMAKE_BINARY_DIR}/cases)

# isomer_tests(): tests/LAYER/*_test.cpp becomes the program LAYER_test, run by ctest; all of them are the target
# unit_tests.
function(isomer_tests)
  add_custom_target(unit_tests)
  get_property(layers GLOBAL PROPERTY ISOMER_LAYERS)
  foreach(name ${layers})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cpp)
    if(sources)
      add_executable(${name}_test ${sources})
      target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR}/tests)
      get_property(seen GLOBAL PROPERTY ISOMER_TESTS_OF_${name})
      list(TRANSFORM seen PREPEND isomer_)
      target_link_libraries(${name}_test PRIVATE ${seen} isomer_${name} GTest::gtest GTest::gtest_main)
      target_compile_definitions(${name}_test PRIVATE
        ISOMER_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ISOMER_BINARY_DIR="${CMAKE_BINARY_DIR}")
      # Instrumented and optimised, a file full of EXPECT takes twice as long to compile as without optimisation.
      if(ISOMER_SANITIZE)
        target_compile_options(${name}_test PRIVATE -O0)
      endif()
      isomer_precompile(${name}_test tests <gtest/gtest.h>)
      add_test(NAME ${name} COMMAND ${name}_test)
      set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 1500
                           ENVIRONMENT "ISOMER_CACHE=${ISOMER_TEST_CACHE};GTEST_OUTPUT=xml:${ISOMER_TEST_CASES}/${name}.xml")
      add_dependencies(unit_tests ${name}_test)
    endif()
  endforeach()
endfunction()

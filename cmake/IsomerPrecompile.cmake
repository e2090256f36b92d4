# What makes a build from nothing quick. Two thirds of the time to compile go into headers, so
# - headers of others that most files include are parsed once for each kind of target: ISOMER_PRECOMPILE says which
#   kinds, "tests", "layers" or both;
# - with ISOMER_UNITY, files of a target are compiled eight at a time (names of theirs must not meet).
# Every build has both, a user's as CI's, but that of the preset `plain`: there a file that includes too little is
# found, and a changed file is compiled alone. `make test-all` makes it.
option(ISOMER_UNITY "Compile the files of a layer, or of its tests, eight at a time" ON)
set(ISOMER_PRECOMPILE "layers;tests" CACHE STRING "What is compiled with precompiled headers: layers, tests")
set(isomer_common_headers <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h>
  <fmt/ranges.h>)

# isomer_precompile(TARGET KIND HEADER...): KIND (layers, tests) shares the headers of its first target, since both kinds
# are compiled with other flags.
function(isomer_precompile target kind)
  if(ISOMER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # A type of a .cpp file may have members of types that only this file knows: so it does when included in another.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  # g++ 12 takes moves of variants and optionals for reads of what is not there, in some files by what it inlines.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(NOT kind IN_LIST ISOMER_PRECOMPILE)
    return()
  endif()
  get_property(first GLOBAL PROPERTY ISOMER_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${isomer_common_headers} ${ARGN})
    set_property(GLOBAL PROPERTY ISOMER_PRECOMPILED_${kind} ${target})
  endif()
  # ccache looks into the preprocessed text, which then names what was precompiled.
  # clang-tidy reads the headers as such, and would say that it does.
  # GCC 12 warns of its own std::string where that comes precompiled (GCC bug 105329), depending on lengths of paths.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-ignored-gch>)
endfunction()

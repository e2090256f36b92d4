# isomer_version_of(LAYER FOLDER...): a hash of the sources in these folders of src/, as `std::string_view version()` (namespace
# isomer::LAYER, declared in a header of it): records of what they came to hold while it stays. Run as a script, it writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(hashes "")
  foreach(input IN LISTS INPUTS)
    file(SHA256 "${input}" hash)
    string(APPEND hashes ${hash})
  endforeach()
  string(SHA256 hash "${hashes}")
  string(SUBSTRING ${hash} 0 16 hash)
  file(WRITE "${OUTPUT}" "#include <string_view>\nnamespace isomer::${LAYER} {\n"
    "std::string_view version();\nstd::string_view version() { return \"${hash}\"; }\n}\n")
  return()
endif()

function(isomer_version_of layer)
  set(globs "")
  foreach(folder ${ARGN})
    foreach(ending h cpp inc)
      list(APPEND globs ${CMAKE_SOURCE_DIR}/src/${folder}/*.${ending})
    endforeach()
  endforeach()
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${globs})
  set(source ${CMAKE_BINARY_DIR}/assets/${layer}_version.cpp)
  add_custom_command(OUTPUT ${source} DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/IsomerVersionOf.cmake VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DINPUTS=${inputs}" -DOUTPUT=${source} -DLAYER=${layer}
            -P ${CMAKE_SOURCE_DIR}/cmake/IsomerVersionOf.cmake)
  target_sources(isomer_${layer} PRIVATE ${source})
endfunction()

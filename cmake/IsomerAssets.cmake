# isomer_asset(LAYER NAME FILE): the text of FILE as `extern const std::string_view NAME` (namespace isomer::LAYER), compiled into
# the layer: what is installed needs no file at run time. Run as a script, it writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(begin 0)
  while(begin LESS length)  # a compiler need not take literals of any length
    string(SUBSTRING "${text}" ${begin} 15000 piece)
    string(APPEND pieces "\nR\"~~~~(${piece})~~~~\"")
    math(EXPR begin "${begin} + 15000")
  endwhile()
  file(WRITE "${OUTPUT}" "#include <string_view>\nnamespace isomer::${LAYER} {\n"
    "extern const std::string_view ${NAME};\nconst std::string_view ${NAME} =${pieces};\n}\n")
  return()
endif()

function(isomer_asset layer name file)
  set(source ${CMAKE_BINARY_DIR}/assets/${layer}_${name}.cpp)
  set(input ${CMAKE_SOURCE_DIR}/src/${layer}/assets/${file})
  add_custom_command(OUTPUT ${source} DEPENDS ${input} ${CMAKE_SOURCE_DIR}/cmake/IsomerAssets.cmake VERBATIM
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${source} -DLAYER=${layer} -DNAME=${name}
            -P ${CMAKE_SOURCE_DIR}/cmake/IsomerAssets.cmake)
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-Wno-overlength-strings")
  target_sources(isomer_${layer} PRIVATE ${source})
endfunction()

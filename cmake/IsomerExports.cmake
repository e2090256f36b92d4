# isomer_exports(TARGET PATTERN...): the names that a shared library shows. What else it holds, of the standard library
# and of other projects, nobody in the process meets: neither by a name, nor by symbols of which a process has one.
function(isomer_exports target)
  list(JOIN ARGN " " patterns)
  string(REPLACE " " "; " patterns "${patterns}")
  set(map ${CMAKE_BINARY_DIR}/assets/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "{ global: ${patterns}; local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${map})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# All layers as one shared library, and the program, which is a few lines over it: the Python modules and programs of
# others stand on the same file. What the library needs of the system it holds where an archive of it can go into a
# shared library, so that it lives beside other copies of these; the rest is shared.
include(GNUInstallDirs)
option(ISOMER_ARCHIVES "Link the archives of OpenBLAS, SQLite and xxHash into libisomer where they are" ON)

set(objects "")
get_property(layers GLOBAL PROPERTY ISOMER_LAYERS)
foreach(layer ${layers})
  get_target_property(kind isomer_${layer} TYPE)
  if(kind STREQUAL STATIC_LIBRARY)
    list(APPEND objects $<TARGET_OBJECTS:isomer_${layer}>)
  endif()
endforeach()
add_library(isomer_library SHARED ${objects})
if(ISOMER_ARCHIVES AND NOT ISOMER_SANITIZE)
  foreach(name openblas sqlite3 xxhash)
    find_library(ISOMER_ARCHIVE_${name} lib${name}.a HINTS ${OPENBLAS_LIBDIR} ${OPENBLAS_LIBRARY_DIRS})
    mark_as_advanced(ISOMER_ARCHIVE_${name})
    if(ISOMER_ARCHIVE_${name})
      target_link_libraries(isomer_library PRIVATE ${ISOMER_ARCHIVE_${name}})  # before the shared ones, which are then not needed
    endif()
  endforeach()
endif()
target_link_libraries(isomer_library PRIVATE isomer_cli)
target_include_directories(isomer_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                           $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
target_compile_features(isomer_library INTERFACE cxx_std_20)
target_link_options(isomer_library PRIVATE LINKER:--as-needed LINKER:-Bsymbolic-functions)
isomer_exports(isomer_library _ZN6isomer* _ZNK6isomer* _ZGVN6isomer* _ZTIN6isomer* _ZTSN6isomer* _ZTVN6isomer* _ZTHN6isomer*
               _ZTWN6isomer*)
set_target_properties(isomer_library PROPERTIES OUTPUT_NAME isomer EXPORT_NAME isomer LINKER_LANGUAGE CXX
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}  # before 1.0 each minor version is an interface of its own
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} INSTALL_RPATH "$ORIGIN/isomer")

add_executable(isomer src/cli/main.cpp)
target_include_directories(isomer PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(isomer PRIVATE isomer_library fmt::fmt CLI11::CLI11)
file(RELATIVE_PATH from_programs /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(isomer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                      INSTALL_RPATH "$ORIGIN/${from_programs}")

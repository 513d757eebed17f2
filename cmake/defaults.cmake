# What every target of ours has in common. No global flags: a target asks for these by name.
set(LETTERPRESS_SANITIZE "" CACHE STRING "sanitizers for every target, e.g. address,undefined")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# GCC collects its garbage from 128 MB on, a walk through all that torch/types.h declares. From 1 GB on it takes a tenth more memory (2 GB for
# the largest unit) and a twelfth less time.
set(gcc_memory --param=ggc-min-heapsize=1000000)

# Most code runs once per command, file or step. With -O1 GCC 12 compiles it in three quarters of the time.
option(LETTERPRESS_QUICK_BUILD "-O2 only for what letterpress_computes() names, -O1 for the rest" OFF)

# letterpress_computes(name ...): rooms whose loops over pixels, bytes, rows or boxes take a command's time.
function(letterpress_computes)
  if(LETTERPRESS_QUICK_BUILD)
    foreach(name IN LISTS ARGN)
      target_compile_options(letterpress_${name} PRIVATE -O2)
    endforeach()
  endif()
endfunction()

# letterpress_defaults(target): C++20, warnings, same floating-point results on every x86-64 (no contraction).
function(letterpress_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off
    $<$<BOOL:${LETTERPRESS_QUICK_BUILD}>:-O1> $<$<BOOL:${LETTERPRESS_WERROR}>:-Werror> $<$<CXX_COMPILER_ID:GNU>:${gcc_memory}>
    $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-braces>)
  if(LETTERPRESS_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LETTERPRESS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${LETTERPRESS_SANITIZE})
  endif()
endfunction()

# letterpress_room(name SOURCES ... [LINK ...]): a static library letterpress::name, whose headers are included by their path from the root.
function(letterpress_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINK" ${ARGN})
  add_library(letterpress_${name} STATIC ${ROOM_SOURCES})
  add_library(letterpress::${name} ALIAS letterpress_${name})
  target_include_directories(letterpress_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(letterpress_${name} PUBLIC ${ROOM_LINK})
  letterpress_defaults(letterpress_${name})
endfunction()

# letterpress_part(name SOURCES ... [LINK ...] [PUBLIC_LINK ...]): a static library letterpress::name with
# public headers in include/letterpress/<name>, installed with the package.
function(letterpress_part name)
  cmake_parse_arguments(PART "" "" "SOURCES;LINK;PUBLIC_LINK" ${ARGN})
  set(target letterpress_${name})
  add_library(${target} STATIC ${PART_SOURCES})
  add_library(letterpress::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${PART_PUBLIC_LINK} PRIVATE ${PART_LINK})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  letterpress_defaults(${target})
endfunction()

# letterpress_install_texts(program [COMPONENT component] [SHARE folder]): installs the man pages and completions that `program`, a target
# or a file, prints of itself, into `folder`: share below the prefix, unless it is named.
set(LETTERPRESS_INSTALL_TEXTS ${CMAKE_CURRENT_LIST_DIR}/install_texts.cmake)

function(letterpress_install_texts program)
  cmake_parse_arguments(TEXTS "" "COMPONENT;SHARE" "" ${ARGN})
  if(NOT TEXTS_COMPONENT)
    set(TEXTS_COMPONENT Unspecified)
  endif()
  if(NOT TEXTS_SHARE)
    set(TEXTS_SHARE "\${CMAKE_INSTALL_PREFIX}/share")
  endif()
  get_filename_component(name ${program} NAME)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  install(CODE "set(program \"${program}\")\nset(texts \"${CMAKE_CURRENT_BINARY_DIR}/texts/${name}\")\nset(share \"${TEXTS_SHARE}\")"
    COMPONENT ${TEXTS_COMPONENT})
  install(SCRIPT ${LETTERPRESS_INSTALL_TEXTS} COMPONENT ${TEXTS_COMPONENT})
endfunction()

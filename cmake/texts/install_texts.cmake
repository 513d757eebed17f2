# install(SCRIPT) of letterpress_install_texts: the man pages and completions of `program`, as it prints them, into the folder `share`,
# by way of the folder `texts`.
find_program(gzip gzip REQUIRED)
file(REMOVE_RECURSE ${texts})
file(MAKE_DIRECTORY ${texts})
get_filename_component(name ${program} NAME)

function(print file)
  execute_process(COMMAND ${program} ${ARGN} OUTPUT_FILE ${texts}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

print(${name}.1 manual)
execute_process(COMMAND ${program} reference OUTPUT_VARIABLE reference COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n## [a-z-]+" commands "${reference}")
foreach(command IN LISTS commands)
  string(SUBSTRING ${command} 4 -1 command)
  print(${name}-${command}.1 manual ${command})
endforeach()
file(GLOB pages ${texts}/*.1)
execute_process(COMMAND ${gzip} -9 -n ${pages} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB pages ${texts}/*.1.gz)
file(INSTALL ${pages} DESTINATION ${share}/man/man1)

# Each shell seeks a file of its own name for the program; zsh's is that of the function in it. Debian's zsh reads vendor-completions of
# packages alone, below /usr.
string(REPLACE "-" "_" function _${name})
set(of_zsh site-functions)
if(share STREQUAL /usr/share OR share MATCHES "[^/]/usr/share$")
  set(of_zsh vendor-completions)
endif()
foreach(script IN ITEMS "bash|bash-completion/completions|${name}" "zsh|zsh/${of_zsh}|${function}"
    "fish|fish/vendor_completions.d|${name}.fish")
  string(REGEX MATCH "(.+)\\|(.+)\\|(.+)" matched "${script}")
  set(file ${CMAKE_MATCH_3})
  set(folder ${CMAKE_MATCH_2})
  print(${file} completion ${CMAKE_MATCH_1})
  file(INSTALL ${texts}/${file} DESTINATION ${share}/${folder})
endforeach()

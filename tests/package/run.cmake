# run(command ...): runs it and puts stdout and stderr into `output`; another exit code than 0 ends the test.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: exit ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

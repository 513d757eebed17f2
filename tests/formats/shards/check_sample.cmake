# Writes the sample shard into a fresh folder and has Python compare it.
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${WRITER} ${FOLDER} ${COMPRESSION} OUTPUT_VARIABLE shard COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PYTHON} ${CHECK} ${shard} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "check_sample.py: exit ${result}")
endif()

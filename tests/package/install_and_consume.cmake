include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --component development --prefix ${SCRATCH}/prefix --config ${BUILD_TYPE})

# Installed files must not point back into the tree they came from.
file(GLOB_RECURSE configs ${SCRATCH}/prefix/*.cmake)
if(NOT configs)
  message(FATAL_ERROR "nothing was installed below ${SCRATCH}/prefix")
endif()
foreach(file ${configs})
  file(READ ${file} text)
  string(FIND "${text}" "${SOURCE}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file} names the source folder ${SOURCE}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --config ${BUILD_TYPE})

find_program(consumer consumer PATHS ${SCRATCH}/build ${SCRATCH}/build/${BUILD_TYPE} NO_DEFAULT_PATH REQUIRED)
set(wanted "2 rows of 32x32\none.jpg: 1 boxes, first pixel 10 20 30\ntwo.jpg: 2 boxes, first pixel 11 21 31\n")
foreach(compression none deflate)
  file(GLOB shard ${SOURCE}/tests/golden/shards/${compression}/*.h5)
  run(${consumer} ${shard})
  if(NOT output STREQUAL wanted)
    message(FATAL_ERROR "the consumer printed\n${output}wanted\n${wanted}")
  endif()
endforeach()

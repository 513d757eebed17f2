include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first --config ${BUILD_TYPE})
file(RENAME ${SCRATCH}/first ${SCRATCH}/moved)
unset(ENV{LD_LIBRARY_PATH})
set(bin ${SCRATCH}/moved/bin)
foreach(program letterpress-preprocess letterpress-trainer letterpress-predict)
  run(${bin}/${program} --version)
endforeach()

file(COPY ${SOURCE}/tests/golden/pictures/photo.jpg ${SOURCE}/tests/golden/pictures/rgb.png DESTINATION ${SCRATCH})
file(WRITE ${SCRATCH}/train.txt "photo.jpg 1,1,20,20,0\n")
file(WRITE ${SCRATCH}/val.txt "rgb.png 1,1,20,20,1\n")
file(WRITE ${SCRATCH}/classes.txt "one\ntwo\n")
run(${bin}/letterpress-preprocess build --store ${SCRATCH}/store --input ${SCRATCH}/train.txt --val ${SCRATCH}/val.txt
  --classes ${SCRATCH}/classes.txt --size 32 --views 1)
run(${bin}/letterpress-trainer fit --store ${SCRATCH}/store --model yolov3-tiny --out ${SCRATCH}/run --epochs 1 --batch 1 --device cpu)
run(${bin}/letterpress-predict --checkpoint ${SCRATCH}/run/last.safetensors --input ${SCRATCH}/photo.jpg
  --out ${SCRATCH}/predictions --device cpu)
if(NOT EXISTS ${SCRATCH}/predictions/detections.json)
  message(FATAL_ERROR "letterpress-predict wrote no detections.json")
endif()

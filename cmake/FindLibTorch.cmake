# LibTorch, from the PyPI wheel in .deps/torch (scripts/setup.sh) or wherever CMAKE_PREFIX_PATH points (a folder that holds
# include/torch and lib/libtorch.so, or a site-packages that holds torch/). The wheel's own TorchConfig.cmake asks for nvcc, which
# nothing here needs, so the libraries are named one by one.
#   LibTorch::cpu   torch, torch_cpu, c10
#   LibTorch::cuda  torch_cuda, c10_cuda and the CUDA runtime's headers; only where the LibTorch found has them
find_path(LIBTORCH_INCLUDE_DIR torch/headeronly/version.h
  HINTS ${PROJECT_SOURCE_DIR}/.deps/torch/torch/include PATH_SUFFIXES include torch/include)
if(LIBTORCH_INCLUDE_DIR)
  get_filename_component(LIBTORCH_ROOT ${LIBTORCH_INCLUDE_DIR} DIRECTORY)
  get_filename_component(LIBTORCH_SITE ${LIBTORCH_ROOT} DIRECTORY)
endif()
foreach(library c10 torch torch_cpu c10_cuda torch_cuda)
  find_library(LIBTORCH_${library} ${library} HINTS ${LIBTORCH_ROOT}/lib NO_DEFAULT_PATH)
endforeach()
if(EXISTS "${LIBTORCH_INCLUDE_DIR}/torch/headeronly/version.h")
  set(LIBTORCH_VERSION "")
  foreach(field MAJOR MINOR PATCH)
    file(STRINGS ${LIBTORCH_INCLUDE_DIR}/torch/headeronly/version.h line REGEX "define TORCH_VERSION_${field} ")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND LIBTORCH_VERSION ${number})
  endforeach()
  list(JOIN LIBTORCH_VERSION "." LIBTORCH_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LIBTORCH_c10 LIBTORCH_torch LIBTORCH_torch_cpu LIBTORCH_INCLUDE_DIR
  VERSION_VAR LIBTORCH_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup.sh, or point CMAKE_PREFIX_PATH at LibTorch 2.11, or configure with -DLETTERPRESS_TRAINER=OFF")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  file(GLOB LIBTORCH_NVIDIA_LIBS ${LIBTORCH_SITE}/nvidia/*/lib)
  file(GLOB LIBTORCH_NVIDIA_INCLUDES ${LIBTORCH_SITE}/nvidia/cu*/include ${LIBTORCH_SITE}/nvidia/nccl/include)
  # libtorch.so and libc10_cuda.so are found through the run path at link time too.
  set(rpath_link "")
  foreach(folder ${LIBTORCH_ROOT}/lib ${LIBTORCH_NVIDIA_LIBS})
    list(APPEND rpath_link "LINKER:-rpath-link,${folder}")
  endforeach()

  # libstdc++ first: libtorch.so exports a std::filesystem of its own (remove_all and others), built for another libstdc++, which crashes
  # whoever calls it.
  add_library(LibTorch::cpu INTERFACE IMPORTED GLOBAL)
  set(includes ${LIBTORCH_INCLUDE_DIR} ${LIBTORCH_INCLUDE_DIR}/torch/csrc/api/include)
  set_target_properties(LibTorch::cpu PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${includes}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}"
    INTERFACE_LINK_OPTIONS "LINKER:--no-as-needed;-lstdc++;${rpath_link}"
    INTERFACE_LINK_LIBRARIES "${LIBTORCH_torch};${LIBTORCH_torch_cpu};${LIBTORCH_c10}")
  set(cuda_includes ${LIBTORCH_NVIDIA_INCLUDES} $ENV{CUDA_HOME}/include /usr/local/cuda/include)
  find_path(LIBTORCH_CUDA_CRT crt/host_config.h PATHS ${cuda_includes})
  find_path(LIBTORCH_CUDA_CCCL nv/target PATHS ${cuda_includes})
  if(LIBTORCH_torch_cuda AND NOT (LIBTORCH_CUDA_CRT AND LIBTORCH_CUDA_CCCL))
    message(WARNING "LibTorch has CUDA, but its headers are not whole (crt/host_config.h: ${LIBTORCH_CUDA_CRT}, nv/target: "
      "${LIBTORCH_CUDA_CCCL}): built for CPUs only. Run scripts/setup.sh, which installs them, or set CUDA_HOME to a CUDA toolkit")
  elseif(LIBTORCH_torch_cuda AND LIBTORCH_c10_cuda)
    list(APPEND LIBTORCH_NVIDIA_INCLUDES ${LIBTORCH_CUDA_CRT} ${LIBTORCH_CUDA_CCCL})
    list(REMOVE_DUPLICATES LIBTORCH_NVIDIA_INCLUDES)
    add_library(LibTorch::cuda INTERFACE IMPORTED GLOBAL)
    set_target_properties(LibTorch::cuda PROPERTIES
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${LIBTORCH_NVIDIA_INCLUDES}"
      INTERFACE_INCLUDE_DIRECTORIES "${LIBTORCH_NVIDIA_INCLUDES}"
      INTERFACE_LINK_LIBRARIES "LibTorch::cpu;${LIBTORCH_torch_cuda};${LIBTORCH_c10_cuda}")
  endif()
endif()

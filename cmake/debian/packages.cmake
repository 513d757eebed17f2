# Debian packages by CPack (scripts/package.sh deb): letterpress-preprocess, with what the program prints of itself and the nightly builds
# of samples/schedule, and letterpress-dev, the component `development`.
if(NOT PROJECT_IS_TOP_LEVEL OR NOT TARGET letterpress-preprocess)
  return()
endif()
set(CPACK_PACKAGE_VENDOR Letterpress)
set(CPACK_PACKAGE_CONTACT "Letterpress maintainers <maintainers@letterpress.example>" CACHE STRING "who answers for the packages")

# What names its place below /usr is installed by the packages only.
set(debian ${PROJECT_BINARY_DIR}/debian)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME debian)
foreach(unit IN ITEMS letterpress-rebuild@.service letterpress-rebuild@.timer)
  file(READ ${PROJECT_SOURCE_DIR}/samples/schedule/${unit} text)
  string(REPLACE /opt/letterpress/scripts/ /usr/libexec/letterpress/ text "${text}")
  string(REPLACE /etc/systemd/ /usr/lib/systemd/ text "${text}")
  file(CONFIGURE OUTPUT ${debian}/${unit} CONTENT "${text}" @ONLY)
  install(FILES ${debian}/${unit} DESTINATION lib/systemd/system EXCLUDE_FROM_ALL)
endforeach()
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/rebuild.sh DESTINATION libexec/letterpress EXCLUDE_FROM_ALL)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/letterpress.conf DESTINATION lib/sysusers.d EXCLUDE_FROM_ALL)

# Header-only libraries are compiled into the program: their licences come along.
set(notices "")
foreach(package IN ITEMS libcli11-dev libfmt-dev libprotozero-dev libtomlplusplus-dev libxxhash-dev nlohmann-json3-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(READ /usr/share/doc/${package}/copyright notice)
    string(APPEND notices "==== ${package}\n\n${notice}\n")
  endif()
endforeach()
file(WRITE ${debian}/notices "${notices}")
install(FILES ${debian}/notices DESTINATION share/doc/letterpress-preprocess EXCLUDE_FROM_ALL)

# The date is SOURCE_DATE_EPOCH where that is set, so that the same sources give the same package.
find_program(LETTERPRESS_GZIP gzip REQUIRED)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${debian}/changelog @ONLY)
execute_process(COMMAND ${LETTERPRESS_GZIP} -9 -n -f ${debian}/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(package IN ITEMS preprocess dev)
  set(component debian)
  if(package STREQUAL dev)
    set(component debian-dev)
  endif()
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${debian}/changelog.gz DESTINATION share/doc/letterpress-${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # it would stand before those of the packages
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL preprocess debian development debian-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME letterpress-preprocess)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/postinst)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(LETTERPRESS_IMGCODECS)
  find_package(OpenCV REQUIRED COMPONENTS core)
  # Opened when a picture needs it; libopencv_imgcodecs.so.406 is in libopencv-imgcodecs406.
  string(REGEX REPLACE "^([0-9]+)\\.([0-9])\\..*" "\\10\\2" opencv ${OpenCV_VERSION})
  set(imgcodecs "libopencv-imgcodecs${opencv}, ")
endif()
# Opened when a name outside ASCII is drawn.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "${imgcodecs}libpangocairo-1.0-0, fonts-noto-core, fonts-noto-cjk")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "labelled pictures to shards of ready tensors
letterpress-preprocess decodes, augments and letterboxes a detection dataset
once and writes HDF5 shards of ready tensors, so that training only reads.
It reads JPEG and PNG; with libopencv-imgcodecs, which it suggests, TIFF,
WebP, BMP and others too. A systemd timer builds stores again every night.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME letterpress-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libhdf5-dev, libdeflate-dev")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "C++ library that reads and writes Letterpress shards
Headers, static libraries and a CMake package, letterpress::shards, for
programs that read stores of letterpress-preprocess themselves.")

include(CPack)
cpack_add_component(preprocess GROUP program)
cpack_add_component(debian GROUP program)
cpack_add_component(development GROUP library)
cpack_add_component(debian-dev GROUP library)
cpack_add_component_group(program)
cpack_add_component_group(library)

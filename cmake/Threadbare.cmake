# CTest runs `threadbare verify`: threadbare_add_test, which docs/cxx.md explains.
#
#   include(Threadbare)
#   threadbare_add_test(NAME queue SOURCES test/queue.cpp TARGET my_library)
#
# NAME      the name of the test
# SOURCES   the files of the program
# TARGET    a target: its include directories, definitions and standard are those of the program
# OPTIONS   options of `threadbare verify`, such as --model=rc11 or --unroll=3
# FLAGS     flags for clang, after all others
# EXPECT    `verified` (the default; `bounded` is as good) or `violated`
# TIMEOUT   seconds for the run; without an answer by then the test fails
#
# THREADBARE_EXECUTABLE is the program; if it is not in the path, set it.

find_program(THREADBARE_EXECUTABLE threadbare DOC "Threadbare, the model checker")

function(threadbare_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 THREADBARE "" "NAME;TARGET;EXPECT;TIMEOUT" "SOURCES;OPTIONS;FLAGS")
  if(NOT THREADBARE_NAME OR NOT THREADBARE_SOURCES)
    message(FATAL_ERROR "threadbare_add_test: NAME and SOURCES are needed")
  endif()
  if(THREADBARE_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "threadbare_add_test: unknown: ${THREADBARE_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT THREADBARE_EXECUTABLE)
    message(FATAL_ERROR "threadbare_add_test: there is no threadbare in the path; set THREADBARE_EXECUTABLE")
  endif()
  if(NOT THREADBARE_EXPECT)
    set(THREADBARE_EXPECT verified)
  elseif(NOT THREADBARE_EXPECT MATCHES "^(verified|violated)$")
    message(FATAL_ERROR "threadbare_add_test: EXPECT is verified or violated, not ${THREADBARE_EXPECT}")
  endif()

  set(files)
  foreach(source IN LISTS THREADBARE_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND files "${source}")
  endforeach()

  set(flags)
  if(THREADBARE_TARGET)
    set(includes "$<TARGET_PROPERTY:${THREADBARE_TARGET},INCLUDE_DIRECTORIES>")
    set(more "$<TARGET_PROPERTY:${THREADBARE_TARGET},INTERFACE_INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${THREADBARE_TARGET},COMPILE_DEFINITIONS>")
    set(standard "$<TARGET_PROPERTY:${THREADBARE_TARGET},CXX_STANDARD>")
    set(flags
      "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
      "$<$<BOOL:${more}>:-I$<JOIN:${more},;-I>>"
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      "$<$<BOOL:${standard}>:-std=c++${standard}>")
  endif()

  set(options ${THREADBARE_OPTIONS})
  if(THREADBARE_TIMEOUT)
    list(APPEND options --timeout ${THREADBARE_TIMEOUT})
  endif()
  add_test(
    NAME "${THREADBARE_NAME}"
    COMMAND "${THREADBARE_EXECUTABLE}" verify ${files} ${options} -- ${flags} ${THREADBARE_FLAGS}
    COMMAND_EXPAND_LISTS)
  # A status of 1 is a violation, but CTest takes any status but 0 for a failure, also that of an error.
  if(THREADBARE_EXPECT STREQUAL violated)
    set_tests_properties("${THREADBARE_NAME}" PROPERTIES PASS_REGULAR_EXPRESSION ": violated under ")
  endif()
endfunction()

# Writes OUTPUT from INPUT with @PROJECT_VERSION@ and @REVISION@; touches it only when it changes.
# REVISION is asked of git unless it is given.
if(NOT REVISION)
  execute_process(
    COMMAND git -c safe.directory=* describe --always --abbrev=8 --dirty=+ --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT REVISION)
  set(REVISION unknown)
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)

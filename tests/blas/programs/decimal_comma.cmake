# Numbers of the environment and of the summary have a point, whatever the locale of the program says.
need(/usr/bin/localedef libc-bin)
need(/usr/share/i18n/locales/de_DE locales)
file(MAKE_DIRECTORY ${FOLDER}/locales)
execute_process(COMMAND /usr/bin/localedef --no-archive -i de_DE -f UTF-8 ${FOLDER}/locales/with_comma COMMAND_ERROR_IS_FATAL ANY)
run_with_drop_in(COMMAND ${DROP_IN_TEST}
  VARIABLES LOCPATH=${FOLDER}/locales LC_ALL=with_comma CLGEMM_BLAS_CROSSING=1.5 CLGEMM_LOG=info)
expect("a half is 0,5 here")
if(NOT output MATCHES "[0-9]+ calls, [0-9]+\\.[0-9][0-9][0-9] s on [^t]" OR output MATCHES "CLGEMM_BLAS_CROSSING is")
  message(FATAL_ERROR "a number was read or written with a comma")
endif()

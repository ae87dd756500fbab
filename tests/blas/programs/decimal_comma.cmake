# Numbers in the environment and in the summary have a decimal point, for any locale of the program.
need(/usr/bin/localedef libc-bin)
need(/usr/share/i18n/locales/de_DE locales)
file(MAKE_DIRECTORY ${FOLDER}/locales)
execute_process(COMMAND /usr/bin/localedef --no-archive -i de_DE -f UTF-8 ${FOLDER}/locales/with_comma COMMAND_ERROR_IS_FATAL ANY)
set(variables LOCPATH=${FOLDER}/locales LC_ALL=with_comma CLGEMM_BLAS_CROSSING=1.5 CLGEMM_LOG=info)

# With a summary, the environment is read before the program sets its locale. Without one, it is read
# afterwards.
run_with_drop_in(COMMAND ${DROP_IN_TEST} VARIABLES ${variables} CLGEMM_BLAS_LOG=)
expect("a half is 0,5 here")
if(output MATCHES "CLGEMM_BLAS_CROSSING is")
  message(FATAL_ERROR "a number with a point was not read")
endif()
run_with_drop_in(COMMAND ${DROP_IN_TEST} VARIABLES ${variables})
if(NOT output MATCHES "[0-9]+ calls, [0-9]+\\.[0-9][0-9][0-9] s on [^t]")
  message(FATAL_ERROR "a number was written with a comma")
endif()

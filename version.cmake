# Writes the version header, and leaves it alone when nothing in it changes, so that nothing is rebuilt.
# Run at every build, as a script: SOURCE_DIR, HEADER, VERSION, COMPILER.
set(hash unknown)
find_program(GIT git)
if(GIT)
  # Only reads: a repository of another owner is fine, and none of its settings may start a program.
  set(git ${GIT} -C ${SOURCE_DIR} -c safe.directory=* -c core.fsmonitor=false)
  # A prefix means that the sources lie in somebody else's repository.
  execute_process(COMMAND ${git} rev-parse --show-prefix
    RESULT_VARIABLE failed OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed AND prefix STREQUAL "")
    execute_process(COMMAND ${git} describe --always --dirty --abbrev=12 --exclude=*
      RESULT_VARIABLE failed OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
      set(hash ${described})
    endif()
  endif()
endif()

# What predictions depend on: results of another model are other results.
file(GLOB_RECURSE model LIST_DIRECTORIES false RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/models/*.cpp ${SOURCE_DIR}/models/*.h
  ${SOURCE_DIR}/scheduler/*.cpp ${SOURCE_DIR}/scheduler/*.h ${SOURCE_DIR}/sim/*.cpp ${SOURCE_DIR}/sim/*.h
  ${SOURCE_DIR}/traces/*.cpp ${SOURCE_DIR}/traces/*.h)
list(FILTER model EXCLUDE REGEX "^sim/cli/|^sim/sweep/(results/|[^/]*$)")
list(SORT model)
set(hashes "")
foreach(file ${model})
  file(SHA256 ${SOURCE_DIR}/${file} one)
  string(APPEND hashes "${file} ${one}\n")
endforeach()
string(SHA256 model_hash "${hashes}")
string(SUBSTRING ${model_hash} 0 16 model_hash)

file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT [[
#pragma once

namespace a3sim {

inline constexpr const char* kVersion = "@VERSION@";
inline constexpr const char* kGitHash = "@hash@";
inline constexpr const char* kModelHash = "@model_hash@";  // of the sources that predictions come from
inline constexpr const char* kCompiler = "@COMPILER@";

}  // namespace a3sim
]])

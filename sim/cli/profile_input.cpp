#include "sim/cli/profile_input.h"

#include <string>

#include "sim/cli/result_directory.h"
#include "traces/import/imported.h"
#include "traces/import/profiled_job.h"

namespace a3sim {

bool is_raw_profile(const std::filesystem::path& path) {
  const std::string kind = kind_of_result(path);
  return (kind.empty() || kind == "export") && is_job_profile(path);
}

bool is_profile(const std::filesystem::path& path) {
  return kind_of_result(path) == "import" || is_raw_profile(path);
}

Profile profile_at(const std::filesystem::path& path) {
  if (kind_of_result(path) != "import") return read_profile(path);
  check_result(path, "import");
  return read_imported(path);
}

}  // namespace a3sim

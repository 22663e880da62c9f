#include "sim/experiment/configs_folder.h"
#include "sim/study/describe/document.h"
#include "sim/study/monitor/job.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

class FaultsDocument final : public Document {
 public:
  std::string_view folder() const override { return "faults"; }
  std::string_view usual() const override { return "port"; }
  std::string_view use() const override { return "a3sim monitor CONFIG --inject FILE -o JOB"; }

  void read(const Config& root, Diagnostics&, const fs::path&) const override {
    for (const std::uint32_t ranks : {4U, 8U}) {  // ranks that may be named depend on the job
      FaultSite site;
      site.ranks = ranks;
      Injection injection;
      read_injection(root, site, injection);
    }
    root.finish();
  }

  void accept(const fs::path& file) const override {
    load_job(configs_folder() / "experiments" / "ep8.yaml", {}, file);
  }
};

A3SIM_REGISTER(Document, "faults", "what is wrong with a job, for 'a3sim monitor --inject'", FaultsDocument);

}  // namespace
}  // namespace a3sim

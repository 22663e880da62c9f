#include "sim/core/error.h"
#include "sim/study/describe/document.h"
#include "sim/study/score/score.h"
#include "traces/locate/limits.h"
#include "traces/rules/rule_data.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// The thresholds of a cause, those that find slow steps, and the answers that `score` knows.
class AdviceDocument final : public Document {
 public:
  std::string_view folder() const override { return "advice"; }
  std::string_view usual() const override { return "comm.link"; }
  std::string_view use() const override {
    return "a3sim advise JOB, from a copy of the configurations that A3SIM_CONFIGS names";
  }

  void read(const Config& root, Diagnostics&, const fs::path& file) const override {
    if (root.has("locate"))
      read_locate_limits(root);
    else if (root.has("answers"))
      read_answers(root);
    else
      RuleData::read(root, file);
  }

  void accept(const fs::path& file) const override {
    Diagnostics diagnostics;
    const Config root = Config::load(file, {}, diagnostics);
    read(root, diagnostics, file);
    diagnostics.throw_if_any();
  }
};

A3SIM_REGISTER(Document, "advice", "thresholds and remedies of a cause", AdviceDocument);

}  // namespace
}  // namespace a3sim

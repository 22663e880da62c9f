#include "sim/study/describe/document.h"
#include "sim/study/published/recorded_case.h"

namespace a3sim {
namespace {

// What was published of a slow job, as records of one.
class CaseDocument final : public Document {
 public:
  std::string_view folder() const override { return "cases"; }
  std::string_view usual() const override { return "vgg16"; }
  std::string_view use() const override {
    return "a3sim reproduce hermes, from a copy of the configurations that A3SIM_CONFIGS names";
  }
  void read(const Config& root, Diagnostics&, const std::filesystem::path&) const override {
    read_recorded_case(root);
  }
  void accept(const std::filesystem::path& file) const override { read_recorded_case(file); }
};

A3SIM_REGISTER(Document, "case", "a published diagnosis: symptoms as records, and the causes found",
               CaseDocument);

}  // namespace
}  // namespace a3sim

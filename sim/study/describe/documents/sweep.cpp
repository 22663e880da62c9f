#include "sim/study/describe/document.h"
#include "sim/study/sweep/sweep_file.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

class SweepDocument final : public Document {
 public:
  std::string_view folder() const override { return "sweeps"; }
  std::string_view usual() const override { return "links"; }
  std::string_view use() const override { return "a3sim sweep FILE --db points.db"; }

  void read(const Config& root, Diagnostics&, const fs::path& file) const override {
    SweepSpec spec;
    spec.file = file;
    read_sweep(root, spec);
    root.finish();
  }
  void accept(const fs::path& file) const override { read_sweep(file, {}); }
};

A3SIM_REGISTER(Document, "sweep", "an experiment at many points", SweepDocument);

}  // namespace
}  // namespace a3sim

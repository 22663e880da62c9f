#include "sim/experiment/configs_folder.h"
#include "sim/study/describe/document.h"
#include "sim/study/published/published_table.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

class PublishedDocument final : public Document {
 public:
  std::string_view folder() const override { return "published"; }
  std::string_view usual() const override { return "add"; }
  std::string_view use() const override { return "a3sim reproduce FILE"; }

  void read(const Config& root, Diagnostics&, const fs::path& file) const override {
    read_published_table(root, file.parent_path(), file.stem().string());
  }
  void accept(const fs::path& file) const override { read_published_table(configs_folder(), file.string()); }
};

A3SIM_REGISTER(Document, "published", "published values, and what is run to predict them", PublishedDocument);

}  // namespace
}  // namespace a3sim

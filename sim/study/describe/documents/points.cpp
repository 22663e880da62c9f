#include "sim/study/calibration/points_file.h"
#include "sim/study/describe/document.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

class PointsDocument final : public Document {
 public:
  std::string_view folder() const override { return "points"; }
  std::string_view usual() const override { return "a3"; }
  std::string_view use() const override {
    return "a3sim calibrate --points FILE --hardware machine.yaml -o fitted.yaml";
  }

  void read(const Config& root, Diagnostics&, const fs::path& file) const override {
    read_points(root, fs::absolute(file).parent_path());
  }
  void accept(const fs::path& file) const override {
    Diagnostics diagnostics;
    read_points(Config::load(file, {}, diagnostics), fs::absolute(file).parent_path());
    diagnostics.throw_if_any();
  }
};

A3SIM_REGISTER(Document, "points", "measurements of a device to fit its file to, and how to take them",
               PointsDocument);

}  // namespace
}  // namespace a3sim

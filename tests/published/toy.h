#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "sim/published/evaluation.h"

namespace a3sim {

// A folder of configurations with its own hardware and published table, for the evaluation `toy` (toy.cpp),
// whose points are closed forms of hardware values. The files are removed with the object.
class Toy {
 public:
  // The values in the hardware file: memory.hbm_read, memory.l2_read, fabric.put_fence.
  static constexpr const char* kHbm =
      "{value: 1.33 TB/s, range: [1.2 TB/s, 1.4 TB/s], fitted: true, source: s}";
  static constexpr const char* kL2 = "{value: 5.96 TB/s, range: [4 TB/s, 6 TB/s], fitted: true, source: s}";
  static constexpr const char* kFence = "{value: 200 ns, range: [100 ns, 300 ns], source: s}";

  explicit Toy(const std::string& hbm = kHbm, const std::string& l2 = kL2,
               const std::string& fence = kFence) {
    write("hardware/toy.yaml", "# Toy\ninclude: " + (configs_folder() / "hardware" / "a3.yaml").string() +
                                   "\nhardware:\n  name: toy\n  memory:\n    hbm_read: " + hbm +
                                   "   # kept\n    l2_read: " + l2 + "\n  fabric:\n    put_fence: " + fence +
                                   "\n");
    write("experiments/toy.yaml", "include: [" +
                                      (configs_folder() / "experiments" / "swiglu_add.yaml").string() +
                                      ", ../hardware/toy.yaml]\n");
    publish_points("");
  }
  Toy(const Toy&) = delete;
  Toy& operator=(const Toy&) = delete;
  ~Toy() { std::filesystem::remove_all(scenario.configs); }

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = scenario.configs / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  // Publishes a value of a point.
  void publish(const std::string& point, const std::string& metric, const std::string& value,
               const std::string& more = "use: calibration") {
    published_ += "  - {case: {point: " + point + "}, metric: " + metric + ", value: " + value +
                  ", hardware: toy, source: s, " + more + "}\n";
    publish_points("points:\n" + published_);
  }
  // Writes the table, with this text below its evaluation.
  void publish_points(const std::string& points) const {
    write("published/toy.yaml", "description: closed forms\nheading: toy\nevaluation: toy\n" + points);
  }
  PublishedTable table() const { return read_published_table(scenario.configs, "toy"); }
  Predictions predicted(const CaseSelection& wanted = {}) const { return predict(table(), scenario, wanted); }
  std::filesystem::path hardware() const { return scenario.configs / "hardware" / "toy.yaml"; }
  std::vector<std::filesystem::path> files() const { return {hardware()}; }

  static std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  // The points: `copy`, a latency in us and a bandwidth in TB/s; `read`, a bandwidth in TB/s; `both`, a
  // latency in us.
  static double copy(double hbm) { return 100 / hbm; }
  static double read(double l2) { return l2; }
  static double both(double hbm, double l2) { return 50 / hbm + 200 / l2; }

  Scenario scenario{.configs = std::filesystem::temp_directory_path() /
                               ("a3sim_toy_" + std::to_string(::getpid()) + "_" + std::to_string(number()))};

 private:
  static int number() {
    static int last = 0;
    return ++last;
  }
  std::string published_;
};

}  // namespace a3sim

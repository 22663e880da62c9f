#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/published/evaluation.h"
#include "sim/published/fit/calibration.h"
#include "sim/published/fit/measurements.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

using Catch::Contains;
namespace fs = std::filesystem;

// Of the files of the A3 and of CANN, with three of their values changed; and only those and one more to be fitted, as
// there.
struct Planted {
  const char *path, *stated, *truth;
};
constexpr Planted kPlanted[] = {{"hardware.memory.hbm_read", "1.542 TB/s", "1.47 TB/s"},
                                {"hardware.memory.hbm_write", "0.85 TB/s", "0.97 TB/s"},
                                {"program.launch.alone", "13.1 us", "14.6 us"}};
constexpr const char* kParts[][2] = {{"hardware", "a3"}, {"programs", "cann"}};

constexpr const char* kKernels[][2] = {
    {"launch",
     "elementwise.operator: Copy, elementwise.rows: 1, elementwise.cols: 8192, experiment.launch: alone"},
    {"read", "elementwise.operator: Load, elementwise.rows: 1024, elementwise.cols: 8192, l2.start: cold"},
    {"copy", "elementwise.operator: Copy, elementwise.rows: 1024, elementwise.cols: 8192, l2.start: used"}};

class PointFiles {
 public:
  PointFiles() {
    std::size_t planted = 0;
    for (const auto& [folder, name] : kParts) {
      std::string text = read_file(configs_folder() / folder / (std::string(name) + ".yaml"));
      write(std::string("mine_") + name + ".yaml", text);
      for (const Planted& value : kPlanted) {
        const std::size_t at = text.find(std::string("{value: ") + value.stated);
        if (at == std::string::npos) continue;
        text.replace(at, std::string("{value: ").size() + std::string(value.stated).size(),
                     std::string("{value: ") + value.truth);
        ++planted;
      }
      write(std::string("truth_") + name + ".yaml", text);
    }
    REQUIRE(planted == std::size(kPlanted));
  }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  fs::path path(const std::string& name) const { return directory_.path() / name; }
  // A machine and a program: "mine" or "truth".
  std::vector<fs::path> parts(const std::string& whose) const {
    std::vector<fs::path> files;
    for (const auto& [folder, name] : kParts) files.push_back(path(whose + "_" + name + ".yaml"));
    return files;
  }

  // The kernels with what was measured of each, or none.
  fs::path points(const std::vector<std::string>& measured) const {
    std::string text = "points:\n";
    for (std::size_t i = 0; i < std::size(kKernels); ++i)
      text += "  - {name: " + std::string(kKernels[i][0]) + ", experiment: elementwise, set: {" +
              kKernels[i][1] + "}, metric: latency, measured: " + measured[i] + "}\n";
    return write("points.yaml", text);
  }

 private:
  ScratchDirectory directory_;
};

// What the truth's machine takes.
std::vector<std::string> truths(const PointFiles& files) {
  std::vector<std::string> values;
  const PointsFile asked = read_points(files.points(std::vector<std::string>(std::size(kKernels), "1 us")),
                                       files.parts("truth"), {});
  for (const PublishedTable& table : asked.tables)
    values.push_back(std::to_string(predict(table, {}).points.front().value) + " us");
  return values;
}

std::string value_of(const Calibration& calibration, std::string_view path) {
  for (const Calibration::Fitted& fitted : calibration.parameters)
    if (fitted.parameter.path() == path) return fitted.value;
  return "";
}

std::string error_of(const PointFiles& files, const std::string& text) {
  try {
    read_points(files.write("bad.yaml", text), files.parts("mine"), {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Planted values come back from measurements of a machine, and what these do not identify is named",
          "[slow]") {
  const PointFiles files;
  const PointsFile points = read_points(files.points(truths(files)), files.parts("mine"), {});
  REQUIRE(points.tables.size() == std::size(kKernels));
  const Calibration calibration =
      calibrate_what_is_identified(files.parts("mine"), points.tables, {.threads = 2}, true);
  CHECK(calibration.objective_before > 1e-3);
  CHECK(calibration.objective_after < 1e-6);
  for (const Planted& value : kPlanted) {
    const auto parameter = std::ranges::find(calibration.parameters, value.path,
                                             [](const auto& fitted) { return fitted.parameter.path(); });
    REQUIRE(parameter != calibration.parameters.end());
    INFO(value.path << " " << parameter->value);
    CHECK(parameter->position == Approx(parameter->parameter.position_of(value.truth)).margin(0.01));
  }
  CHECK(calibration.unidentified == std::vector<std::string>{"hardware.workers.cube.gm_to_l1_miss"});
}

TEST_CASE("A measurement that was not taken is named, and the value that it alone shows stays as it is",
          "[slow]") {
  const PointFiles files;
  std::vector<std::string> measured = truths(files);
  measured.back() = "none";  // only copies write
  const PointsFile points = read_points(files.points(measured), files.parts("mine"), {});
  CHECK(points.open == std::vector<std::string>{"copy"});
  const Calibration calibration =
      calibrate_what_is_identified(files.parts("mine"), points.tables, {.threads = 2}, true);
  CHECK_THAT(calibration.unidentified, Catch::VectorContains(std::string("hardware.memory.hbm_write")));
  CHECK(value_of(calibration, "hardware.memory.hbm_write").empty());
  CHECK(value_of(calibration, "program.launch.alone") == "14.6 us");
}

TEST_CASE("Points that are wrong are told of by their places") {
  const PointFiles files;
  const std::string good = "points:\n  - {name: a, experiment: gemm, metric: latency, measured: 5 us}\n";
  CHECK_THAT(error_of(files, good + "  - {name: a, experiment: gemm, metric: latency, measured: none}\n"),
             Contains("bad.yaml:3:") && Contains("a second point 'a'"));
  for (const char* wrong : {"-5 us", "0 us", ".nan", "5", "5 parsecs", "soon"}) {
    const std::string text =
        "points:\n  - {name: a, experiment: gemm, metric: latency, measured: " + std::string(wrong) + "}\n";
    CHECK_THAT(error_of(files, text),
               Contains("bad.yaml:2:") && Contains("measured") && Contains("none where it was not taken"));
  }
  CHECK_THAT(error_of(files, "points:\n  - {name: a, experiment: gemm, metric: latency, measured: none}\n"),
             Contains("no point was measured"));
  CHECK_THAT(
      error_of(files,
               "points:\n  - {name: a, experiment: gemm, metric: latency, measured: 5 us, tables: 1}\n"),
      Contains("unknown key"));
  CHECK_THAT(error_of(files, "points:\n  - {name: a, experiment: gem, metric: latency, measured: 5 us}\n"),
             Contains("gem"));
}

}  // namespace a3sim

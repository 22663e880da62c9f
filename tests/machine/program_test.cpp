#include "sim/device/program.h"

#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <map>

#include "sim/core/error.h"
#include "sim/device/hardware.h"

namespace a3sim {
namespace {

using Catch::Contains;
namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(A3SIM_SOURCE_DIR) / "configs";

Program load_program(const std::string& name) {
  Diagnostics diagnostics;
  const Config root = Config::load(kConfigs / "programs" / (name + ".yaml"), {}, diagnostics);
  Program program = read_program(root.map("program"));
  diagnostics.throw_if_any();
  return program;
}

// What is wrong with a machine and a program that are read from this text.
std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  const Config root = Config::parse(text, (kConfigs / "mine.yaml").string(), overrides, diagnostics);
  const Hardware hardware = read_hardware(root.map("hardware"));
  const Program program = read_program(root.map("program"));
  check_stack(root.map("program"), program, hardware.name, hardware.stack);
  try {
    diagnostics.throw_if_any();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kA3 = "include: [hardware/a3.yaml, programs/hyperparallel.yaml]\n";

}  // namespace

TEST_CASE("Every program file loads, with a source beside each value") {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kConfigs / "programs")) {
    const std::string name = entry.path().stem().string();
    INFO(name);
    REQUIRE_NOTHROW(load_program(name));
    CHECK(load_program(name).name == name);
    Diagnostics diagnostics;
    const Config root = Config::load(entry.path(), {}, diagnostics);
    std::map<std::string, std::string> sources;
    for (const SourcedValue& value : sourced_values(root)) sources[value.path] = value.source;
    for (const auto& [path, value] : root.map("program").values()) {
      INFO(path << ": " << value);
      const bool number = std::isdigit(static_cast<unsigned char>(value.front())) != 0;
      CHECK((!number || !sources[path].empty()));
    }
    ++files;
  }
  CHECK(files >= 10);
}

TEST_CASE("What was fitted on one program stands in its file, and no other is charged with it") {
  CHECK(load_program("hyperparallel").tasks.cube_task_start == 7274_ns);
  for (const char* other : {"cann", "ascendc_matmul", "pto_gemm", "pto_allgather_gemm", "mega_moe", "cuda"}) {
    INFO(other);
    CHECK(load_program(other).tasks.cube_task_start == Duration::zero());
  }
  CHECK(load_program("feplb_a3").tasks.cube_task_start == 7274_ns);  // it runs on that runtime
}

TEST_CASE("A program that is included behind another takes its place") {
  Diagnostics diagnostics;
  const Config root = Config::parse("include: [programs/hyperparallel.yaml, programs/pto_gemm.yaml]\n",
                                    (kConfigs / "mine.yaml").string(), {}, diagnostics);
  const Program program = read_program(root.map("program"));
  CHECK(diagnostics.empty());
  CHECK(program.name == "pto_gemm");
  CHECK_FALSE(program.tasks.dynamic_task.has_value());
}

TEST_CASE("A program for other machines is refused, with one that fits") {
  CHECK_THAT(error_of("include: [hardware/h100_node.yaml, programs/hyperparallel.yaml]\n"),
             Contains("program 'hyperparallel' is written for cann, and machine 'h100_node' runs cuda") &&
                 Contains("../programs/cuda.yaml"));
  CHECK(error_of("include: [hardware/h100_node.yaml, programs/deepep.yaml]\n").empty());
}

}  // namespace a3sim

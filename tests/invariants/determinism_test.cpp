#include <fmt/format.h>

#include <fstream>
#include <set>

#include "sim/core/atomic_file.h"
#include "sim/core/parallel.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/report.h"
#include "tests/invariants/for_all.h"
#include "traces/trace_csv.h"

using namespace a3sim;

namespace {

constexpr std::uint64_t kGoldenSeeds = 100;
const char* const kGolden = A3SIM_SOURCE_DIR "/tests/invariants/golden_hashes.txt";

// All that a run leaves behind.
std::string outputs(const Experiment& experiment) {
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  std::string text = run_summary(experiment, Compiled{}, passes).json.dump();
  for (const PassResult& pass : passes) text += tasks_csv(trace_of(experiment, pass));
  return text;
}

// FNV-1a, 64 bits.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string golden_line(std::uint64_t seed) {
  return fmt::format("{} {:016x}", seed, hash_of(outputs(experiment_of(config_of(seed)))));
}

}  // namespace

TEST_CASE("the same configuration gives the same bytes, run again and in four threads at once") {
  constexpr std::size_t kThreads = 4;
  for_all(
      Backends::kNative,
      [](const RandomConfig& config) {
        const Experiment experiment = experiment_of(config);
        const std::string alone = outputs(experiment);
        std::vector<std::string> beside(kThreads);
        in_parallel(kThreads, kThreads, [&](std::size_t i) { beside[i] = outputs(experiment); });
        for (const std::string& text : beside) RC_ASSERT(hash_of(text) == hash_of(alone));
      },
      kConfigs / 3);  // each is run five times
}

TEST_CASE("results are the bytes that are recorded, whatever built the program") {
  std::ifstream file(kGolden);
  REQUIRE(file);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    CHECK(golden_line(lines.size()) == line);
    lines.insert(line);
  }
  CHECK(lines.size() == kGoldenSeeds);
}

TEST_CASE("record the hashes anew", "[.record]") {
  std::string text;
  for (std::uint64_t seed = 0; seed < kGoldenSeeds; ++seed) text += golden_line(seed) + '\n';
  write_file_atomically(kGolden, text);
}

#include "sim/core/config/config.h"

#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// Reads everything as everything.
void read_as_everything(const Config& config, int depth) {
  for (const std::string& key : config.keys()) {
    config.integer(key, 1, 9, 1);
    config.number(key, 0, 1, 0);
    config.bytes(key);
    config.duration(key);
    config.per_cycle(key, "B");
    config.texts(key);
    if (depth == 0) continue;
    read_as_everything(config.map(key), depth - 1);
    for (const Config& item : config.maps(key)) item.with_sources(true).rate("rate");
  }
  config.finish();
}

class ConfigTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    constexpr int kDepth = 3;
    Diagnostics diagnostics;
    const Config config = Config::parse(input, "fuzz.yaml", {}, diagnostics);
    const std::string written = diagnostics.empty() ? config.resolved() : "";
    read_as_everything(config, kDepth);
    Diagnostics again;
    if (!written.empty() && Config::parse(written, "again.yaml", {}, again).resolved() != written)
      throw std::logic_error("what was understood is written as something else");
  }
};

A3SIM_REGISTER(FuzzTarget, "config", "YAML, read as everything, and written back", ConfigTarget);

}  // namespace
}  // namespace a3sim

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/registry.h"
#include "sim/study/published/setting.h"

namespace a3sim {

// A predicted value. What was published about it is added by sim/study/published/comparison.h.
struct Point {
  nlohmann::ordered_json kase;  // {"m": 4096, "n": 4096, "k": 4096, "dtype": "bf16"}: columns in this order
  std::string metric, unit;     // sim/study/published/metric.h
  double value = 0;             // in `unit`
  std::string hardware;         // Hardware::name of what it was predicted for
  std::string variant{};        // what differs from the default; empty for the default
  std::vector<std::pair<std::string, std::string>> extra{};  // further columns of the table: head and cell
};

struct Reproduced {
  std::string heading;  // above the table: what is reproduced, on which machine, under which rules
  std::vector<Point> points;
  std::string notes{};  // below it; may be empty
};

// A published experiment that is run again on the model; one file each, registered by name. Its published
// values stand in configs/reference/NAME.yaml and are none of its business.
class Reproduction {
 public:
  static constexpr std::string_view kKind = "experiment";
  virtual ~Reproduction() = default;
  // Configurations are read through the setting, so that its values reach all of them. May be called by many
  // threads at once. No two points agree in case, metric and variant.
  virtual Reproduced run(const Setting& setting) const = 0;
  // Whether a run takes so long that its error bars must do with few draws.
  virtual bool is_long() const { return false; }
};

using Reproductions = Registry<Reproduction>;

}  // namespace a3sim

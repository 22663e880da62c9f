#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/run_experiment.h"
#include "sim/study/published/reproduction.h"

namespace a3sim {
namespace {

// When the tasks of one operator run, over all ranks.
struct Span {
  Duration first = Duration::max(), last{};
  Duration length() const { return last - first; }
};

Span span_of(const PassResult& pass, std::string_view name) {
  Span span;
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      if (ssc.operators()[ssc.tasks()[t].op].name != name) continue;
      const TaskRecord& record = pass.run.ranks[r].records[t];
      span.first = std::min(span.first, record.start.time_since_epoch());
      span.last = std::max(span.last, record.end.time_since_epoch());
    }
  }
  return span;
}

// A product that is bound by memory, beside an all-to-all: how much longer it takes than alone.
class Contention final : public Reproduction {
 public:
  Reproduced run(const Setting& setting) const override;

 private:
  static void add(const Setting& setting, const nlohmann::ordered_json& kase,
                  const std::vector<std::string>& own, const std::string& variant, Reproduced& result);
};

void Contention::add(const Setting& setting, const nlohmann::ordered_json& kase,
                     const std::vector<std::string>& own, const std::string& variant, Reproduced& result) {
  const auto measure = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = own;
    all.insert(all.end(), more.begin(), more.end());
    return run_experiment(setting.load("contention", all), true).front();
  };
  const PassResult beside = measure({}), alone = measure({"model.tokens=1", "model.top_k=1"});
  const Duration with = span_of(beside, "GMM").length(), without = span_of(alone, "GMM").length();
  const Span sent = span_of(beside, "Dispatch"), product = span_of(beside, "GMM");
  const Duration together = std::min(sent.last, product.last) - std::max(sent.first, product.first);
  Point point{kase,
              "slowdown",
              "%",
              100 * (seconds(with) / seconds(without) - 1),
              setting.load("contention", own).hardware.name,
              variant};
  point.extra = {{"alone us", fmt::format("{:.1f}", microseconds(without))},
                 {"beside us", fmt::format("{:.1f}", microseconds(with))},
                 {"communication goes on", fmt::format("{:.0f} %", 100 * seconds(together) / seconds(with))}};
  result.points.push_back(std::move(point));
}

Reproduced Contention::run(const Setting& setting) const {
  Reproduced result;
  result.heading =
      "A product that is bound by memory (128 rows times 7168 x 16384) while rows are dispatched, EP8\n";
  const nlohmann::ordered_json kase{{"communication", "puts"}}, bypass{{"communication", "puts past the L2"}};
  if (setting.wants(kase)) add(setting, kase, {}, "", result);
  if (setting.wants(bypass)) add(setting, bypass, {"l2.hints.Dispatch.write=bypass"}, "", result);
  result.notes =
      "Published: a collective slows concurrent compute by 25 %, without copies by 13 % (StrataCL, "
      "CloudMatrix384);\n"
      "20-40 % on older clusters (Hermes, USENIX ATC '25). Nothing is fitted to these.\n";
  return result;
}

A3SIM_REGISTER(Reproduction, "contention", "what communication costs a product that is bound by memory",
               Contention);

}  // namespace
}  // namespace a3sim

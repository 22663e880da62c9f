#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "models/balance/balancer.h"
#include "models/balance/dynamic_experts.h"
#include "sim/core/registry.h"
#include "sim/experiment/methods/layer.h"

namespace a3sim {

// What a method may be told beside the loads.
struct MethodOptions {
  BalanceOptions balance;
  ChooseBy choose = ChooseBy::kHistory;
  bool free_return = false;         // guests' rows come back with combine, at no cost of their own
  bool gradients_fp32 = false;      // of guests' weights, as they return
  std::uint32_t shadows = 2;        // of tutel: experts that all ranks compute
  std::uint32_t comm_workers = 32;  // of triton: workers that communicate
  double efficiency = 1;            // of triton's products
};

// One micro-batch as its method sees it.
struct MicroBatch {
  const RoutingCounts& counts;
  const LoadHistory& history;       // of those before
  std::vector<std::uint32_t> rows;  // by expert

  MicroBatch(const RoutingCounts& counts, const LoadHistory& history);
  std::uint32_t experts_per_rank() const { return counts.experts() / counts.ranks(); }
};

// What a method decides once for both passes.
class ExpertPlan {
 public:
  virtual ~ExpertPlan() = default;
  // RowsByExpert that each rank computes.
  virtual std::vector<double> rows() const = 0;
  virtual void forward(Layer& layer) const = 0;
  virtual void backward(Layer& layer) const = 0;
};

// A way to bring rows and experts together; one file each, or a few of a kind. `batch` outlives what is assigned.
struct Method {
  static constexpr std::string_view kKind = "method";
  std::unique_ptr<ExpertPlan> (*assign)(const MicroBatch& batch, const MethodOptions& options,
                                        const Layer& layer);
  // Workers that it keeps from products all the time, for communication; `bulk` are what dispatch takes. None: none.
  std::uint32_t (*workers_taken)(const MethodOptions& options, std::uint32_t bulk) = nullptr;
  // What a user makes smaller where it takes too many.
  std::string_view taken_by = "hardware.bulk.sms";
};
using Methods = Registry<Method>;

// Which experts go where, as the options choose, balance and stop.
std::vector<ExpertMove> moves_of(const MicroBatch& batch, const MethodOptions& options);

// RowsByExpert of the experts at home on a rank, without those that `elsewhere` says.
RowsByExpert rows_at(const MicroBatch& batch, std::uint32_t rank, const std::vector<bool>& elsewhere = {});
// All experts, but those left out.
std::vector<std::uint32_t> experts_of(const MicroBatch& batch, const std::vector<bool>& left_out = {});
// RowsByExpert of so many experts are brought to their homes, a token once a rank.
ExchangedBytes dispatch_of(const MicroBatch& batch, const Layer& layer,
                           const std::vector<bool>& left_out = {});

}  // namespace a3sim

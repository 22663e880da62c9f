#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "models/balance/balancer.h"
#include "models/balance/dynamic_experts.h"
#include "sim/core/registry.h"
#include "sim/experiment/streams/methods/layer.h"

namespace a3sim {

// Options of methods.
struct MethodOptions {
  Framework framework;
  BalanceOptions balance;
  ChooseBy choose = ChooseBy::kHistory;
  bool free_return = false;         // guests' rows return with combine, at no extra cost
  bool gradients_fp32 = false;      // type in which gradients of guests' weights return
  std::uint32_t shadows = 2;        // tutel: the most experts that all ranks compute
  std::uint32_t comm_workers = 32;  // triton: workers that communicate
  double efficiency = 1;            // triton: divides the time of its products
};

// The view of a micro-batch that methods get.
struct MicroBatch {
  const RoutingCounts& counts;
  const LoadHistory& history;       // history of earlier micro-batches
  std::vector<std::uint32_t> rows;  // one entry per expert

  MicroBatch(const RoutingCounts& counts, const LoadHistory& history);
  std::uint32_t experts_per_rank() const { return counts.experts() / counts.ranks(); }
};

// A method's decisions for both passes of a micro-batch.
class ExpertPlan {
 public:
  virtual ~ExpertPlan() = default;
  // Returns the number of rows that each rank computes.
  virtual std::vector<double> rows() const = 0;
  virtual void forward(Layer& layer) const = 0;
  virtual void backward(Layer& layer) const = 0;
};

// A method of bringing rows and experts together. One file defines one method, or a few of a kind. `batch`
// must outlive the plan that assign() returns.
struct Method {
  static constexpr std::string_view kKind = "method";
  std::unique_ptr<ExpertPlan> (*assign)(const MicroBatch& batch, const MethodOptions& options,
                                        const Layer& layer);
  // Returns the number of workers that the method reserves for communication. `bulk` is the number that
  // dispatch takes. Null: none.
  std::uint32_t (*workers_taken)(const MethodOptions& options, std::uint32_t bulk) = nullptr;
  // The key that a user must reduce if the method takes too many workers.
  std::string_view taken_by = "program.bulk.sms";
};
using Methods = Registry<Method>;

// Returns the moves of experts that the options `choose`, `balance` and `stop` give.
std::vector<ExpertMove> moves_of(const MicroBatch& batch, const MethodOptions& options);

// Returns the rows of the experts whose home is this rank, except those in `elsewhere`.
RowsByExpert rows_at(const MicroBatch& batch, std::uint32_t rank, const std::vector<bool>& elsewhere = {});
// Returns all experts except those left out.
std::vector<std::uint32_t> experts_of(const MicroBatch& batch, const std::vector<bool>& left_out = {});
// Returns the bytes that bring rows to their experts' home ranks, once per token and rank. Leaves out the
// experts in `left_out`.
ExchangedBytes dispatch_of(const MicroBatch& batch, const Layer& layer,
                           const std::vector<bool>& left_out = {});

}  // namespace a3sim

#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/check/plain_ffn.h"
#include "sim/check/tensors.h"
#include "sim/experiment/streams/micro_batches.h"

namespace a3sim {

// The small tensors of a micro-batch, and the routing of its tokens.
struct LayerData {
  plain::Routed routed;
  plain::Parameters weights;
  std::vector<plain::Matrix> tokens, d_output;  // one entry per rank
};

// Carries real tensors through the programs of a method, at the times of a run. A task's inputs are read
// when it starts, its outputs appear when it ends. Memory that no task has written is NaN.
class CarriedLayer {
 public:
  // Both arguments must outlive this object.
  CarriedLayer(const MoeShape& shape, const LayerData& data);

  // Carries one pass. forward() must come first. `rows` has one entry per task, as in the method's Layer.
  // Throws InputError for steps that carry no tensors.
  void forward(const StreamPass& pass, const std::vector<RowsByExpert>& rows) { carry(pass, rows, true); }
  void backward(const StreamPass& pass, const std::vector<RowsByExpert>& rows);

  // Return one matrix per rank, with a row for each token.
  std::vector<plain::Matrix> output() const { return summed(true); }
  std::vector<plain::Matrix> d_tokens() const { return summed(false); }
  // Return the gradient of an expert's weights on its home rank.
  plain::Matrix d_w1(std::uint32_t expert) const { return gradient(Buffer::kDw1, expert); }
  plain::Matrix d_w2(std::uint32_t expert) const { return gradient(Buffer::kDw2, expert); }

 private:
  // The tensors that a rank keeps of an expert, or of the expert's rows from one source.
  enum class Buffer : std::uint8_t { kCame, kX, kH, kA, kY, kBack, kW1, kW2, kDy, kDa, kDh, kDx, kDw1, kDw2 };
  struct Place {
    std::uint32_t rank;
    Buffer what;
    std::uint32_t expert, source;  // source kNone: the whole expert
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Written {
    Place place;
    plain::Matrix values;
  };
  using Writes = std::vector<Written>;

  void carry(const StreamPass& pass, const std::vector<RowsByExpert>& rows, bool forward);
  Writes read(const StreamTask& task, const RowsByExpert& rows, bool forward) const;
  void read_expert(const StreamTask& task, const ExpertRows& expert_rows, bool forward, Writes& writes) const;
  void exchanged(const StreamTask& task, const ExpertRows& expert_rows, bool forward, Writes& writes) const;
  void copied(const StreamTask& task, std::uint32_t expert, bool forward, Writes& writes) const;
  plain::Matrix gradient_of(std::uint32_t rank, const ExpertRows& expert_rows, Buffer left,
                            Buffer right) const;
  plain::Matrix sent(std::uint32_t expert, std::uint32_t source, bool forward) const;

  const plain::Matrix& at(const Place& place) const;
  std::uint32_t home(std::uint32_t expert) const { return expert / shape_.experts_per_rank; }
  std::vector<std::uint32_t> sources(const ExpertRows& expert_rows) const;
  std::vector<plain::Matrix> summed(bool forward) const;
  plain::Matrix gradient(Buffer what, std::uint32_t expert) const;

  const MoeShape& shape_;
  const LayerData& data_;
  // One entry per expert and source: the tokens that go there, with their weights.
  struct Sent {
    std::uint32_t token;
    float weight;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Sent>> sent_;
  std::map<Place, plain::Matrix> memory_;
};

}  // namespace a3sim

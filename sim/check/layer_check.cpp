#include "sim/check/layer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/rng.h"

namespace a3sim {
namespace {

using plain::Matrix;
using plain::Vector;

constexpr std::uint32_t kTokens = 24, kHidden = 8, kIntermediate = 6;
constexpr std::uint32_t kBatches = 3;

// Returns the experiment with small tensors and the same experts, ranks and moves. The least rows of a move
// shrink with the tokens.
Experiment small_experiment(const std::string& file, std::span<const std::string> overrides) {
  const Experiment whole = load_experiment(file, overrides);
  check_streams(whole);
  const MicroBatchOptions& batches = *whole.work->micro_batches();
  std::vector<std::string> set;
  const std::uint32_t tokens = std::min(kTokens, whole.shape.tokens);
  set.push_back(fmt::format("model.tokens={}", tokens));
  set.push_back(fmt::format("model.hidden={}", std::min(kHidden, whole.shape.hidden)));
  set.push_back(fmt::format("model.intermediate={}", std::min(kIntermediate, whole.shape.intermediate)));
  set.push_back(fmt::format(
      "balance.tau={}", std::uint64_t{batches.with.balance.tau} * tokens / std::max(1U, whole.shape.tokens)));
  set.push_back(fmt::format("experiment.micro_batches={}", std::min(kBatches, batches.micro_batches)));
  return whole.with(set);
}

Matrix drawn(std::uint32_t rows, std::uint32_t cols, DataType dtype, float scale, std::uint64_t seed,
             std::uint64_t stream) {
  const TensorData data = random_tensor(dtype, rows, cols, scale, seed, stream);
  Matrix matrix;
  for (std::uint32_t r = 0; r < rows; ++r) matrix.emplace_back(data.row(r).begin(), data.row(r).end());
  return matrix;
}

// Compares values: wrong beyond `allowed` or, if that is null, in any bit.
void compare(const Matrix& expected, const Matrix& actual, const Matrix* allowed, DataType dtype,
             TensorComparison& to) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < expected[i].size(); ++j)
      compare(dtype, expected[i][j], actual[i][j], allowed ? &(*allowed)[i][j] : nullptr, to);
  }
}

// Sums of the absolute values of the terms of weight gradients.
struct Sizes {
  std::vector<Matrix> d_w1, d_w2;
};

Vector sizes_of(Vector values) {
  for (float& value : values) value = std::fabs(value);
  return values;
}

Sizes sizes(const MoeShape& shape, const LayerData& data) {
  Sizes sizes;
  sizes.d_w1.assign(shape.experts(), Matrix(shape.hidden, Vector(2 * shape.intermediate)));
  sizes.d_w2.assign(shape.experts(), Matrix(shape.intermediate, Vector(shape.hidden)));
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    for (std::size_t slot = 0; slot < data.routed.experts[rank].size(); ++slot) {
      const std::uint32_t e = data.routed.experts[rank][slot];
      if (e == kNone) continue;
      const Vector& x = data.tokens[rank][slot / shape.top_k];
      Vector d_y = data.d_output[rank][slot / shape.top_k];
      for (float& value : d_y) value = plain::rounded(shape.dtype, value * data.routed.weights[rank][slot]);
      const Vector h = plain::times(shape.dtype, x, data.weights.w1[e]);
      const Vector d_a = plain::times_transposed(shape.dtype, d_y, data.weights.w2[e]);
      plain::add_outer(sizes.d_w2[e], sizes_of(plain::swiglu(shape.dtype, h)), sizes_of(d_y));
      plain::add_outer(sizes.d_w1[e], sizes_of(x), sizes_of(plain::swiglu_gradient(shape.dtype, d_a, h)));
    }
  }
  // Partial sums, their sum and the reference are each rounded once.
  const auto rounding = static_cast<float>(3 * plain::ulp(shape.dtype, 1) / 2);
  for (std::vector<Matrix>* all : {&sizes.d_w1, &sizes.d_w2}) {
    for (Matrix& matrix : *all) {
      for (Vector& row : matrix) {
        for (float& value : row) value *= rounding;
      }
    }
  }
  return sizes;
}

void hold_up(StreamPass& pass, std::uint64_t seed) {
  const std::uint64_t most = 1 + static_cast<std::uint64_t>(pass.result.makespan.count());
  Rng rng(seed, pass.program.tasks.size());
  for (StreamTask& task : pass.program.tasks) {
    const std::uint64_t draw = rng.next();
    if (draw % 2 == 0) task.wait += Duration(static_cast<std::int64_t>((draw >> 1) % most));
  }
}

}  // namespace

LayerCheck::LayerCheck(const std::string& file, std::span<const std::string> overrides, std::uint64_t seed)
    : experiment_(small_experiment(file, overrides)),
      seed_(seed),
      hardware_(sustained(experiment_.hardware)),
      cost_(hardware_, experiment_.program, experiment_.cut.tiling),
      batches_(draw_batches(experiment_, 0)) {
  if (experiment_.work->micro_batches()->method == "triton") {
    throw InputError(experiment_.name +
                     ": triton splits every expert over all ranks: its partial sums are not carried; methods "
                     "that are: none, feplb, faster, faster_pipe2, tutel");
  }
  if (experiment_.work->micro_batches()->with.free_return)
    throw InputError(experiment_.name + ": balance.free_return brings rows back by nothing: set it to false");
}

LayerData LayerCheck::data_of(std::uint32_t batch) const {
  const MoeShape& shape = experiment_.shape;
  RoutingSpec spec = experiment_.routing;
  spec.micro_batch = static_cast<std::uint32_t>(batches_.before.size()) + batch;
  LayerData data;
  data.routed = routed_by(spec, shape);
  std::uint64_t stream = 0;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    Vector& weights = data.routed.weights.emplace_back();
    Rng rng(seed_, stream++);
    for (std::size_t slot = 0; slot < data.routed.experts[rank].size(); ++slot)
      weights.push_back(static_cast<float>(rng.uniform()));
    data.tokens.push_back(drawn(shape.tokens, shape.hidden, shape.dtype, 1, seed_, stream++));
    data.d_output.push_back(drawn(shape.tokens, shape.hidden, shape.dtype, 1, seed_, stream++));
  }
  for (std::uint32_t e = 0; e < shape.experts(); ++e) {
    data.weights.w1.push_back(drawn(shape.hidden, 2 * shape.intermediate, shape.dtype, 1, seed_, stream++));
    data.weights.w2.push_back(drawn(shape.intermediate, shape.hidden, shape.dtype, 1, seed_, stream++));
  }
  return data;
}

LayerCheck::Passes LayerCheck::passes(std::uint32_t batch) const {
  LoadHistory history = history_before(batches_);
  for (std::uint32_t b = 0; b < batch; ++b) history.add(MicroBatch(batches_.counts[b], history).rows);
  const MicroBatch now(batches_.counts[batch], history);
  const auto plan = plan_of(experiment_, now, cost_);
  Passes passes{write_stream_pass(experiment_, *plan, cost_, true),
                write_stream_pass(experiment_, *plan, cost_, false)};
  for (const StreamTask& task : passes.forward.program.tasks) {
    if (task.stream >= Layer::kWeightCopies) ++passes.copied;
  }
  return passes;
}

void LayerCheck::run(Passes& passes, std::optional<std::uint64_t> held_up) const {
  for (StreamPass* pass : {&passes.forward, &passes.backward}) {
    run_again(*pass, experiment_, cost_);
    if (!held_up) continue;
    hold_up(*pass, *held_up);
    run_again(*pass, experiment_, cost_);
  }
}

std::vector<LayerCheck::Outcome> LayerCheck::outcome(std::uint32_t batch, const Passes& passes) const {
  const MoeShape& shape = experiment_.shape;
  const LayerData data = data_of(batch);
  CarriedLayer carried(shape, data);
  carried.forward(passes.forward, passes.forward.rows);
  const std::vector<Matrix> output = carried.output();
  carried.backward(passes.backward, passes.backward.rows);

  const std::vector<Matrix> right = plain::forward(shape, data.routed, data.weights, data.tokens);
  const plain::Backward gradients =
      plain::backward(shape, data.routed, data.weights, data.tokens, data.d_output);
  const std::string& method = experiment_.work->micro_batches()->method;
  const bool summed_once = method == "none" || method == "feplb";
  std::vector<Outcome> all(4);
  all[0].compared.tensor = "output";
  all[1].compared.tensor = "d_tokens";
  all[2] = {{.tensor = "d_w1"}, !summed_once};
  all[3] = {{.tensor = "d_w2"}, !summed_once};
  const std::vector<Matrix> d_tokens = carried.d_tokens();
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    compare(right[rank], output[rank], nullptr, shape.dtype, all[0].compared);
    compare(gradients.d_tokens[rank], d_tokens[rank], nullptr, shape.dtype, all[1].compared);
  }
  const Sizes allowed = sizes(shape, data);
  for (std::uint32_t e = 0; e < shape.experts(); ++e) {
    compare(gradients.d_w1[e], carried.d_w1(e), summed_once ? nullptr : &allowed.d_w1[e], shape.dtype,
            all[2].compared);
    compare(gradients.d_w2[e], carried.d_w2(e), summed_once ? nullptr : &allowed.d_w2[e], shape.dtype,
            all[3].compared);
  }
  return all;
}

DataFindings check_layer(const LayerCheck& check, const std::optional<std::uint64_t>& adversary) {
  const Experiment& experiment = check.experiment();
  DataFindings findings;
  Report& report = findings.report;
  report.fact("name", experiment.name).fact("method", experiment.work->micro_batches()->method);
  report.say(fmt::format(
      "{} with real tensors, method {}, {} ranks, {} experts, {} tokens per rank of {} values, against plain "
      "loops\n"
      "over tokens and experts; 'within': not beyond three roundings of the sum of a gradient's terms\n\n",
      experiment.name, experiment.work->micro_batches()->method, experiment.shape.ep,
      experiment.shape.experts(), experiment.shape.tokens, experiment.shape.hidden));
  Table& table = report.table_on(
      "tensors", {Column::count("micro-batch", "micro_batch"), Column::count("copies"),
                  Column::words("held up", "held_up"), Column::words("tensor"), Column::count("elements"),
                  Column::count("different"), Column::count("no number", "no_number"),
                  Column::number("ulp at most", "worst_ulp", 1), Column::words("verdict")});
  for (std::uint32_t batch = 0; batch < check.batches(); ++batch) {
    std::vector<std::optional<std::uint64_t>> ways{std::nullopt};
    if (adversary) ways.push_back(*adversary + batch);
    for (const auto& held : ways) {
      LayerCheck::Passes passes = check.passes(batch);
      check.run(passes, held);
      for (const auto& [compared, bounded] : check.outcome(batch, passes)) {
        const std::string seed = held ? fmt::format("seed {}", *held) : "";
        table.add({whole(batch), whole(passes.copied), seed.empty() ? Cell() : Cell(seed), compared.tensor,
                   whole(compared.elements), whole(compared.different), whole(compared.unwritten),
                   compared.worst_ulp,
                   !compared.right() ? "WRONG"
                   : bounded         ? "within"
                                     : "equal"});
        if (compared.right()) continue;
        findings.faults.push_back(
            fmt::format("micro-batch {}: {} of the {} elements of {} are wrong ({} no number){}", batch,
                        compared.different, compared.elements, compared.tensor, compared.unwritten,
                        seed.empty() ? "" : " with tasks held up by " + seed));
      }
    }
  }
  return findings;
}

}  // namespace a3sim

#include "sim/runtime/device_l2.h"

#include <algorithm>
#include <iterator>

#include "models/operators/operator.h"
#include "sim/memory/l2/piece_l2.h"

namespace a3sim {
namespace {

// Rows of a piece: cubes and puts access a tensor by blocks, vector workers by a few rows at a time.
constexpr std::uint32_t kRowsOfBlocks = 128, kRowsOfVectors = 8;

// Returns the first row of each expert, if a tensor has rows of experts.
std::vector<std::uint32_t> parts_of(const TensorInfo& tensor, const RowLayout& layout, std::uint32_t rank,
                                    std::uint32_t rows) {
  const std::uint32_t experts = layout.shape().experts_per_rank;
  std::vector<std::uint32_t> parts;
  if (tensor.layout == Layout::kWeights) {
    for (std::uint32_t e = 0; e < experts; ++e) parts.push_back(rows / experts * e);
  } else if (tensor.layout == Layout::kReceived) {
    for (std::uint32_t e = 0; e < experts; ++e) {
      const std::uint32_t first = layout.pack(Layout::kReceived, rank, layout.received_expert(rank, e)).begin;
      // An expert without rows begins where the next one does.
      if (parts.empty() ? first == 0 : first > parts.back() && first < rows) parts.push_back(first);
    }
  }
  return parts;
}

std::unique_ptr<L2> make_rated(const Ssc& ssc, const std::map<std::string, L2Rates>& by_name) {
  std::vector<L2Rates> rates;
  for (const OperatorInfo& op : ssc.operators()) {
    const auto found = by_name.find(op.name);
    if (found == by_name.end()) throw InputError("no hit rates are given for operator " + op.name);
    rates.push_back(found->second);
  }
  return make_rated_l2(rates);
}

// Returns a rank's tensors as they lie in its L2.
std::vector<L2Tensor> tensors_of(const Ssc& ssc, const RowLayout& layout, std::uint32_t copies) {
  std::vector<bool> in_blocks(ssc.tensors().size());  // by tensor: a matrix operator reads or writes it
  for (const OperatorInfo& op : ssc.operators()) {
    if (Operators::get(op.type).unit() != CoreUnit::kMatrix) continue;
    for (const auto* ids : {&op.inputs, &op.outputs}) {
      for (const TensorId id : *ids) in_blocks[index(id)] = true;
    }
  }
  std::vector<L2Tensor> tensors;
  const std::uint32_t rank = index(ssc.rank());
  for (const TensorInfo& tensor : ssc.tensors()) {
    L2Tensor& l_2_tensor = tensors.emplace_back();
    l_2_tensor.rows = layout.real_rows(tensor.layout, rank, tensor.rows);
    l_2_tensor.row_bytes = static_cast<std::uint32_t>(tensor.row_bytes());
    l_2_tensor.parts = parts_of(tensor, layout, rank, l_2_tensor.rows);
    const bool vectors_only = tensor.layout == Layout::kPlain && !in_blocks[tensors.size() - 1];
    l_2_tensor.piece_rows = vectors_only ? kRowsOfVectors : kRowsOfBlocks;
  }
  tensors.reserve((copies + 1) * tensors.size());
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    std::copy_n(tensors.begin(), ssc.tensors().size(), std::back_inserter(tensors));
  }
  return tensors;
}

}  // namespace

std::unique_ptr<L2> make_l2(const Ssc& ssc, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options, std::uint32_t copies) {
  if (!options.rates.empty()) return make_rated(ssc, options.rates);
  const std::vector<L2Tensor> tensors = tensors_of(ssc, layout, copies);
  L2Spec spec = options.spec;
  spec.size = hardware.memory.l2_size;
  spec.ways = hardware.memory.l2_ways;
  const auto ops = static_cast<std::uint32_t>(ssc.operators().size());
  if (options.exact) return make_line_l2(spec, tensors, ops);
  return make_piece_l2(spec, tensors, ops);
}

double l2_memory(const Schedule& schedule, const RowLayout& layout, const L2Options& options,
                 std::uint32_t copies) {
  if (options.exact || !options.rates.empty()) return 0;
  double all = 0;
  for (const Ssc& ssc : schedule) all += piece_l2_memory(tensors_of(ssc, layout, copies));
  return all;
}

std::uint32_t copies_before(const Schedule& schedule, const RowLayout& layout, const Hardware& hardware,
                            const L2Options& options) {
  if (options.start != L2Start::kUsed) return 0;
  constexpr std::uint64_t kMost = 64;
  std::uint64_t most = 0;
  for (const Ssc& ssc : schedule) {
    std::uint64_t bytes = 1;
    for (const TensorInfo& tensor : ssc.tensors()) {
      bytes += layout.real_rows(tensor.layout, index(ssc.rank()), tensor.rows) * tensor.row_bytes();
    }
    most = std::max(most, static_cast<std::uint64_t>(hardware.memory.l2_size.count) / bytes + 1);
  }
  return static_cast<std::uint32_t>(std::min(most, kMost));
}

std::vector<OpHints> hints_of(const Ssc& ssc, const L2Options& options) {
  std::vector<OpHints> hints;
  for (const OperatorInfo& op : ssc.operators()) {
    OpHints& added = hints.emplace_back();
    const bool by_name = options.read_hints.contains(op.name);
    const std::string& key = by_name ? op.name : op.type;
    if (const auto found = options.read_hints.find(key); found != options.read_hints.end())
      added.read = found->second;
    if (const auto found = options.write_hints.find(key); found != options.write_hints.end())
      added.write = found->second;
  }
  return hints;
}

}  // namespace a3sim

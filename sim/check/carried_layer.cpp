#include "sim/check/carried_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {

using plain::Matrix;
using plain::Vector;

CarriedLayer::CarriedLayer(const MoeShape& shape, const LayerData& data) : shape_(shape), data_(data) {
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    for (std::uint32_t slot = 0; slot < data.routed.experts[rank].size(); ++slot) {
      const std::uint32_t expert = data.routed.experts[rank][slot];
      if (expert != kNone)
        sent_[{expert, rank}].push_back({slot / shape.top_k, data.routed.weights[rank][slot]});
    }
  }
  for (std::uint32_t e = 0; e < shape.experts(); ++e) {
    memory_[{home(e), Buffer::kW1, e, kNone}] = data.weights.w1[e];
    memory_[{home(e), Buffer::kW2, e, kNone}] = data.weights.w2[e];
  }
}

// Returns NaN for memory that no task has written; its rows and columns do not matter.
const Matrix& CarriedLayer::at(const Place& place) const {
  static const Matrix kUnwritten;
  const auto found = memory_.find(place);
  return found == memory_.end() ? kUnwritten : found->second;
}

std::vector<std::uint32_t> CarriedLayer::sources(const ExpertRows& expert_rows) const {
  if (expert_rows.source != kNone) return {expert_rows.source};
  std::vector<std::uint32_t> all(shape_.ep);
  for (std::uint32_t r = 0; r < shape_.ep; ++r) all[r] = r;
  return all;
}

Matrix CarriedLayer::sent(std::uint32_t expert, std::uint32_t source, bool forward) const {
  Matrix rows;
  const auto found = sent_.find({expert, source});
  if (found == sent_.end()) return rows;
  for (const Sent& sent_row : found->second) {
    Vector& row = rows.emplace_back((forward ? data_.tokens : data_.d_output)[source][sent_row.token]);
    for (float& value : row) value = forward ? value : plain::rounded(shape_.dtype, value * sent_row.weight);
  }
  return rows;
}

void CarriedLayer::backward(const StreamPass& pass, const std::vector<RowsByExpert>& rows) {
  // The weights that came for forward have been overwritten since; activations are kept.
  std::erase_if(memory_, [&](const auto& kept) {
    const Place& place = kept.first;
    const bool weights = place.what == Buffer::kW1 || place.what == Buffer::kW2;
    return weights ? place.rank != home(place.expert)
                   : place.what == Buffer::kCame || place.what == Buffer::kBack;
  });
  carry(pass, rows, false);
}

void CarriedLayer::carry(const StreamPass& pass, const std::vector<RowsByExpert>& rows, bool forward) {
  // A task that waits for another comes after it, even if both times are equal: tasks wait only for earlier
  // ones.
  std::vector<std::tuple<Time, std::uint32_t, bool>> times;  // the task's end comes behind its start
  for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t) {
    times.emplace_back(pass.result.records[t].start, t, false);
    times.emplace_back(pass.result.records[t].end, t, true);
  }
  std::ranges::sort(times);
  std::vector<Writes> under_way(pass.program.tasks.size());
  for (const auto& [time, task, ends] : times) {
    if (!ends) {
      under_way[task] = read(pass.program.tasks[task], rows[task], forward);
      continue;
    }
    for (Written& written : under_way[task]) memory_[written.place] = std::move(written.values);
    under_way[task].clear();
    if (pass.program.tasks[task].name != KernelName::kAdd) continue;
    // The gradients that arrived have been added.
    const std::uint32_t rank = index(pass.program.tasks[task].rank), expert = rows[task].front().expert;
    std::erase_if(memory_, [&](const auto& kept) {
      const auto& [place, values] = kept;
      return place.rank == rank && place.expert == expert && place.source != kNone &&
             (place.what == Buffer::kDw1 || place.what == Buffer::kDw2);
    });
  }
}

CarriedLayer::Writes CarriedLayer::read(const StreamTask& task, const RowsByExpert& rows,
                                        bool forward) const {
  Writes writes;
  for (const ExpertRows& expert_rows : rows) {
    if (task.stream == Layer::kBulk)
      exchanged(task, expert_rows, forward, writes);
    else if (task.stream == Layer::kCompute)
      read_expert(task, expert_rows, forward, writes);
    else
      copied(task, expert_rows.expert, forward, writes);
  }
  return writes;
}

void CarriedLayer::exchanged(const StreamTask& task, const ExpertRows& expert_rows, bool forward,
                             Writes& writes) const {
  const std::uint32_t rank = index(task.rank);
  const std::uint32_t to = home(expert_rows.expert);
  if (task.name == KernelName::kDispatch) {
    writes.push_back(
        {{to, Buffer::kCame, expert_rows.expert, rank}, sent(expert_rows.expert, rank, forward)});
  } else if (task.name == KernelName::kCombine) {
    if (to != rank) return;
    for (std::uint32_t src = 0; src < shape_.ep; ++src) {
      const Place back{rank, Buffer::kBack, expert_rows.expert, src};
      writes.push_back({{src, Buffer::kBack, expert_rows.expert, src}, at(back)});
    }
  } else if (task.name == KernelName::kWeights) {
    for (std::uint32_t dst = 0; dst < shape_.ep && to == rank; ++dst) {
      for (const Buffer what : {Buffer::kW1, Buffer::kW2})
        writes.push_back(
            {{dst, what, expert_rows.expert, kNone}, at({rank, what, expert_rows.expert, kNone})});
    }
  } else if (task.name == KernelName::kGradients) {
    for (const Buffer what : {Buffer::kDw1, Buffer::kDw2})
      writes.push_back({{to, what, expert_rows.expert, rank}, at({rank, what, expert_rows.expert, kNone})});
  } else {
    throw InputError(fmt::format("{}: no tensors are known of it", task.name));
  }
}

void CarriedLayer::copied(const StreamTask& task, std::uint32_t expert, bool forward, Writes& writes) const {
  const std::uint32_t from = index(task.rank);
  const std::uint32_t to = index(task.transfers.front().dst);
  const auto take = [&](Buffer what, std::uint32_t source, std::uint32_t as) {
    writes.push_back({{to, what, expert, as}, at({from, what, expert, source})});
  };
  if (task.name == KernelName::kWeights) {
    take(Buffer::kW1, kNone, kNone);
    take(Buffer::kW2, kNone, kNone);
  } else if (task.name == KernelName::kGradients) {
    take(Buffer::kDw1, kNone, from);
    take(Buffer::kDw2, kNone, from);
  } else {
    const Buffer there = forward ? Buffer::kX : Buffer::kDy, back = forward ? Buffer::kY : Buffer::kDx;
    for (std::uint32_t src = 0; src < shape_.ep; ++src)
      take(task.name == KernelName::kRows ? there : back, src, src);
  }
}

namespace {

// Applies a function to each row of one or two matrices.
template <class Of>
Matrix rowwise(const Matrix& a, const Of& function) {
  Matrix result;
  for (const Vector& row : a) result.push_back(function(row));
  return result;
}

Matrix no_numbers(std::uint32_t rows, std::uint32_t cols) {
  return Matrix(rows, Vector(cols, std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace

// Sums in fp32 over the rows that this rank has of the expert, by source and token. Rounds once.
Matrix CarriedLayer::gradient_of(std::uint32_t rank, const ExpertRows& expert_rows, Buffer left,
                                 Buffer right) const {
  const bool first = left == Buffer::kX;
  const std::uint32_t rows = first ? shape_.hidden : shape_.intermediate;
  const std::uint32_t cols = first ? 2 * shape_.intermediate : shape_.hidden;
  Matrix sum(rows, Vector(cols));
  for (const std::uint32_t src : sources(expert_rows)) {
    const auto found = sent_.find({expert_rows.expert, src});
    if (found == sent_.end()) continue;
    const Matrix &a = at({rank, left, expert_rows.expert, src}),
                 &b = at({rank, right, expert_rows.expert, src});
    if (a.size() != found->second.size() || b.size() != a.size()) return no_numbers(rows, cols);
    for (std::size_t row = 0; row < a.size(); ++row) plain::add_outer(sum, a[row], b[row]);
  }
  plain::round_all(shape_.dtype, sum);
  return sum;
}

void CarriedLayer::read_expert(const StreamTask& task, const ExpertRows& expert_rows, bool forward,
                               Writes& writes) const {
  const std::uint32_t rank = index(task.rank);
  const DataType dtype = shape_.dtype;
  if (task.name == KernelName::kGrad2 || task.name == KernelName::kGrad1) {
    const bool first = task.name == KernelName::kGrad1;
    writes.push_back(
        {{rank, first ? Buffer::kDw1 : Buffer::kDw2, expert_rows.expert, kNone},
         gradient_of(rank, expert_rows, first ? Buffer::kX : Buffer::kA, first ? Buffer::kDh : Buffer::kDy)});
    return;
  }
  if (task.name == KernelName::kAdd) {
    for (const Buffer what : {Buffer::kDw1, Buffer::kDw2})
      writes.push_back({{rank, what, expert_rows.expert, kNone}, gradient(what, expert_rows.expert)});
    return;
  }
  const Matrix &w1 = at({rank, Buffer::kW1, expert_rows.expert, kNone}),
               &w2 = at({rank, Buffer::kW2, expert_rows.expert, kNone});
  for (const std::uint32_t src : sources(expert_rows)) {
    const auto get = [&](Buffer what) -> const Matrix& { return at({rank, what, expert_rows.expert, src}); };
    const auto put = [&](Buffer what, Matrix values) {
      writes.push_back({{rank, what, expert_rows.expert, src}, std::move(values)});
    };
    const auto through = [&](const Matrix& a, const Matrix& w, auto times) {
      return w.empty() ? Matrix() : rowwise(a, [&](const Vector& row) { return times(dtype, row, w); });
    };
    if (task.name == KernelName::kPermute) {
      // Rows that stay at their source are its own tokens; other rows are those that arrived at the expert.
      put(forward ? Buffer::kX : Buffer::kDy,
          expert_rows.source == kNone ? get(Buffer::kCame) : sent(expert_rows.expert, src, forward));
    } else if (task.name == KernelName::kGmm1 && forward) {
      put(Buffer::kH, through(get(Buffer::kX), w1, plain::times));
    } else if (task.name == KernelName::kSwiglu && forward) {
      put(Buffer::kA, rowwise(get(Buffer::kH), [&](const Vector& h) { return plain::swiglu(dtype, h); }));
    } else if (task.name == KernelName::kGmm2 && forward) {
      put(Buffer::kY, through(get(Buffer::kA), w2, plain::times));
    } else if (task.name == KernelName::kGmm2) {
      put(Buffer::kDa, through(get(Buffer::kDy), w2, plain::times_transposed));
    } else if (task.name == KernelName::kSwiglu) {
      const Matrix &d_a = get(Buffer::kDa), &h = get(Buffer::kH);
      Matrix d_h;
      for (std::size_t row = 0; row < d_a.size() && h.size() == d_a.size(); ++row)
        d_h.push_back(plain::swiglu_gradient(dtype, d_a[row], h[row]));
      put(Buffer::kDh, std::move(d_h));
    } else if (task.name == KernelName::kGmm1) {
      put(Buffer::kDx, through(get(Buffer::kDh), w1, plain::times_transposed));
    } else if (task.name == KernelName::kUnpermute) {
      put(Buffer::kBack, get(forward ? Buffer::kY : Buffer::kDx));
    } else {
      throw InputError(fmt::format("{}: no tensors are known of it", task.name));
    }
  }
}

// Adds an expert's own gradient and those that arrived, in fp32. Rounds once.
Matrix CarriedLayer::gradient(Buffer what, std::uint32_t expert) const {
  const bool first = what == Buffer::kDw1;
  const std::uint32_t rows = first ? shape_.hidden : shape_.intermediate;
  const std::uint32_t cols = first ? 2 * shape_.intermediate : shape_.hidden;
  Matrix sum(rows, Vector(cols));
  bool any = false;
  const auto add = [&](const Place& place) {
    const auto found = memory_.find(place);
    if (found == memory_.end()) return;
    any = true;
    if (found->second.empty()) sum = no_numbers(rows, cols);
    for (std::size_t i = 0; i < found->second.size(); ++i) {
      for (std::size_t j = 0; j < cols; ++j) sum[i][j] += found->second[i][j];
    }
  };
  add({home(expert), what, expert, kNone});
  for (std::uint32_t src = 0; src < shape_.ep; ++src) {
    if (src != home(expert)) add({home(expert), what, expert, src});
  }
  if (!any) return no_numbers(rows, cols);
  plain::round_all(shape_.dtype, sum);
  return sum;
}

// Sums at the source over a token's experts by number, in fp32.
std::vector<Matrix> CarriedLayer::summed(bool forward) const {
  std::vector<Matrix> result(shape_.ep, Matrix(shape_.tokens, Vector(shape_.hidden)));
  for (const auto& [key, rows] : sent_) {
    const auto& [expert, rank] = key;
    const Matrix& back = at({rank, Buffer::kBack, expert, rank});
    for (std::size_t row = 0; row < rows.size(); ++row) {
      Vector& sum = result[rank][rows[row].token];
      const float weight = forward ? rows[row].weight : 1;
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] +=
            back.size() == rows.size() ? weight * back[row][i] : std::numeric_limits<float>::quiet_NaN();
    }
  }
  for (Matrix& matrix : result) plain::round_all(shape_.dtype, matrix);
  return result;
}

}  // namespace a3sim

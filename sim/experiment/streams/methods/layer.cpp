#include "sim/experiment/streams/methods/layer.h"

#include <algorithm>
#include <cmath>

#include "sim/core/whole_time.h"

namespace a3sim {

double ExchangedBytes::sent(std::uint32_t rank) const {
  double sum = 0;
  for (std::uint32_t dst = 0; dst < ranks_; ++dst) sum += at(rank, dst);
  return sum;
}

double ExchangedBytes::received(std::uint32_t rank) const {
  double sum = 0;
  for (std::uint32_t src = 0; src < ranks_; ++src) sum += at(src, rank);
  return sum;
}

ExchangedBytes ExchangedBytes::back() const {
  ExchangedBytes back(ranks_);
  for (std::uint32_t src = 0; src < ranks_; ++src) {
    for (std::uint32_t dst = 0; dst < ranks_; ++dst) back.at(dst, src) = at(src, dst);
  }
  return back;
}

Layer::Layer(const MoeShape& shape, const Hardware& hardware, KernelCost& cost, const Framework& framework)
    : shape_(shape), hardware_(hardware), cost_(cost), framework_(framework), called_(shape.ep, false) {
  program.ranks = shape.ep;
  constexpr std::uint32_t kThreads = 2;  // host threads per rank: one launches, one balances
  for (const WorkerKind& kind : hardware.workers) program.kinds.push_back({kind.name, kind.count, false});
  engine_kind_ = static_cast<std::uint32_t>(program.kinds.size());
  program.kinds.push_back({"copy engine", copy_engine().count, false});
  thread_kind_ = static_cast<std::uint32_t>(program.kinds.size());
  program.kinds.push_back({"host thread", kThreads, true});
  program.streams = {"HOST", "PLANNER", "COMPUTE", "BULK", "WEIGHTS", "ROWS", "RETURNS"};
}

StreamTask Layer::task(const char* name, std::uint32_t rank, std::uint32_t stream, const Each& after) const {
  StreamTask task;
  task.name = name;
  task.rank = RankId{rank};
  task.stream = stream;
  task.after = after;
  return task;
}

std::uint32_t Layer::host(const char* name, Stream thread, std::uint32_t rank, Duration time,
                          const Each& after) {
  StreamTask stream_task = task(name, rank, thread, after);
  stream_task.kind = thread_kind_;
  stream_task.units = 1;
  stream_task.hold = time;
  return add_task(std::move(stream_task), {});
}

Each Layer::counts() {
  Each each;
  for (std::uint32_t r = 0; r < shape_.ep; ++r)
    each.push_back(host(KernelName::kCounts, kHost, r, host().read_counts, {}));
  return each;
}

// A kernel sends and receives at its rate; the larger of the two decides its time. Its links may be slower
// still.
Each Layer::exchange(const Exchange& exchange, const Each& after) {
  const ExchangedBytes& bytes = exchange.bytes;
  const BytesPerSecond rate = exchange.rate;
  const std::uint32_t workers = exchange.workers > 0 ? exchange.workers : bulk().workers;
  Each each;
  for (std::uint32_t r = 0; r < shape_.ep; ++r) {
    StreamTask stream_task = task(exchange.name, r, kBulk, after);
    RowsByExpert rows;
    for (const std::uint32_t e : exchange.experts) rows.push_back({e, 0, r});
    stream_task.kind = hardware_.workers.queue_for(CoreUnit::kVector);
    stream_task.units = std::min(workers, program.kinds[stream_task.kind].count);
    stream_task.wait = cost_.program().launch.queued;
    stream_task.hold = bulk().fixed;
    const double most = std::max(bytes.sent(r), bytes.received(r)), own = bytes.at(r, r);
    stream_task.job.ideal = Duration(whole_picoseconds(most / static_cast<double>(rate.count) * 1e12));
    stream_task.job.bytes = {own, own, hardware_.memory.as_reads(own, own)};
    for (std::uint32_t dst = 0; dst < shape_.ep; ++dst) {
      const auto moved = static_cast<std::int64_t>(std::ceil(bytes.at(r, dst)));
      if (dst != r && moved > 0) stream_task.transfers.push_back({RankId{dst}, Bytes{moved}, rate});
    }
    each.push_back(add_task(std::move(stream_task), std::move(rows)));
  }
  return each;
}

std::uint32_t Layer::add_task(StreamTask task, RowsByExpert task_rows) {
  rows.push_back(std::move(task_rows));
  return program.add(std::move(task));
}

std::uint32_t Layer::vector(const char* name, std::uint32_t rank, const VectorKernel& kernel,
                            const RowsByExpert& of_rows, const Each& after) {
  StreamTask stream_task = task(name, rank, kCompute, after);
  stream_task.job = cost_.vector(kernel, vector_workers());
  if (stream_task.job.ideal > Duration::zero()) {
    stream_task.wait = cost_.program().launch.queued;
    stream_task.kind = hardware_.workers.queue_for(CoreUnit::kVector);
    stream_task.units = vector_workers();
  }
  return add_task(std::move(stream_task), of_rows);
}

std::uint32_t Layer::permute(std::uint32_t rank, bool forward, double tokens, const RowsByExpert& rows,
                             const Each& after) {
  const std::uint32_t permuted =
      vector(KernelName::kPermute, rank, {tokens * row_bytes(), sum_of(rows) * row_bytes(), {}}, rows, after);
  if (!called_[rank])
    program.tasks[permuted].wait +=
        host().product * std::int64_t{forward ? 1 : 2} * std::int64_t{framework_.calls};
  called_[rank] = true;
  return permuted;
}

std::uint32_t Layer::unpermute(std::uint32_t rank, const RowsByExpert& rows, double tokens,
                               const Each& after) {
  const auto elements = static_cast<std::uint64_t>(sum_of(rows) * shape_.hidden);
  return vector(KernelName::kUnpermute, rank,
                {sum_of(rows) * row_bytes(), tokens * row_bytes(), {elements, elements, 0}}, rows, after);
}

std::uint32_t Layer::swiglu(std::uint32_t rank, const RowsByExpert& rows, double width, const Each& after) {
  const double all = sum_of(rows) * width;
  const auto elements = static_cast<std::uint64_t>(all);
  constexpr double kIn = 2 * 2, kOut = 2;  // bytes per element: gate and up; result
  return vector(KernelName::kSwiglu, rank,
                {all * kIn, all * kOut, {3 * elements, 3 * elements, 2 * elements}}, rows, after);
}

// The host prepares and launches every expert's product, and the device waits for it.
std::uint32_t Layer::launched(const Products& products, std::uint32_t rank, const RowsByExpert& of_rows,
                              const Each& after) {
  StreamTask stream_task = task(products.name, rank, kCompute, after);
  stream_task.job = products.job;
  stream_task.macs = products.macs;
  if (products.launches > 0) {
    stream_task.wait =
        cost_.program().launch.queued + host().product * static_cast<std::int64_t>(products.launches);
    stream_task.kind = hardware_.workers.queue_for(CoreUnit::kMatrix);
    stream_task.matrix = true;
    stream_task.units = matrix_workers();
  }
  return add_task(std::move(stream_task), of_rows);
}

std::uint32_t Layer::products(const char* name, std::uint32_t rank, const RowsByExpert& rows, std::uint32_t n,
                              std::uint32_t k, const Each& after) {
  return launched({name, cost_.products(counts_of(rows), n, k, matrix_workers(), framework_.streams),
                   sum_of(rows) * n * k, rows.size()},
                  rank, rows, after);
}

std::uint32_t Layer::gradients(const char* name, std::uint32_t rank, const RowsByExpert& rows,
                               std::uint32_t n, std::uint32_t k, const Each& after) {
  return launched({name, cost_.gradients(counts_of(rows), n, k, matrix_workers(), framework_.streams),
                   sum_of(rows) * n * k, rows.size()},
                  rank, rows, after);
}

double sum_of(const RowsByExpert& rows) {
  double sum = 0;
  for (const ExpertRows& expert_rows : rows) sum += expert_rows.rows;
  return sum;
}

std::vector<std::uint32_t> counts_of(const RowsByExpert& rows) {
  std::vector<std::uint32_t> counts;
  for (const ExpertRows& expert_rows : rows) counts.push_back(expert_rows.rows);
  return counts;
}

std::uint32_t Layer::forward(std::uint32_t rank, const RowsByExpert& rows, const Each& after) {
  const std::uint32_t h = shape_.hidden, f = shape_.intermediate;
  const std::uint32_t first = products(KernelName::kGmm1, rank, rows, 2 * f, h, after);
  const std::uint32_t middle = swiglu(rank, rows, f, {first});
  return products(KernelName::kGmm2, rank, rows, h, f, {middle});
}

std::uint32_t Layer::backward(std::uint32_t rank, const RowsByExpert& rows, const Each& after) {
  const std::uint32_t h = shape_.hidden, f = shape_.intermediate;
  const double all = sum_of(rows);
  products(KernelName::kGmm2, rank, rows, f, h, after);
  gradients(KernelName::kGrad2, rank, rows, h, f, {});
  const auto elements = static_cast<std::uint64_t>(all * f);
  constexpr double kIn = 3 * 2, kOut = 2 * 2;  // bytes per element: gate, up, gradient; two gradients
  vector(KernelName::kSwiglu, rank,
         {all * f * kIn, all * f * kOut, {6 * elements, 5 * elements, 2 * elements}}, rows, {});
  products(KernelName::kGmm1, rank, rows, h, 2 * f, {});
  return gradients(KernelName::kGrad1, rank, rows, 2 * f, h, {});
}

// The engine has a startup time before the bytes of each copy.
std::uint32_t Layer::copy(const Copy& copy, const Each& after) {
  StreamTask stream_task = task(copy.name, copy.from, copy.stream, after);
  stream_task.wait = hardware_.fabric.levels.front().latency;  // a flag of the peer, or of the device itself
  stream_task.kind = engine_kind_;
  stream_task.units = 1;
  stream_task.hold = copy_engine().startup;
  stream_task.transfers = {
      {RankId{copy.to}, Bytes{static_cast<std::int64_t>(std::ceil(copy.bytes))}, copy_engine().rate}};
  return add_task(std::move(stream_task), {copy.expert_rows});
}

}  // namespace a3sim

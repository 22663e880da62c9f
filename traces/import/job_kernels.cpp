#include <algorithm>
#include <numeric>

#include "traces/import/job_reader.h"

// Sums up kernels by type: what binds them, as far as a profile tells.
namespace a3sim {
namespace {

constexpr Duration kLittle(10'000'000);  // 10 us: about what launching a kernel takes

// Returns the bytes of an element, from names such as DT_BF16 and FLOAT16; 0: unknown.
double bytes_of_type(std::string_view type) {
  if (type.starts_with("DT_")) type.remove_prefix(3);
  struct Size {
    std::string_view name;
    double bytes;
  };
  constexpr std::array kSizes{Size{"FLOAT16", 2},  Size{"BF16", 2},  Size{"BFLOAT16", 2}, Size{"FLOAT8", 1},
                              Size{"HIFLOAT8", 1}, Size{"FLOAT", 4}, Size{"DOUBLE", 8},   Size{"INT64", 8},
                              Size{"UINT64", 8},   Size{"INT32", 4}, Size{"UINT32", 4},   Size{"INT16", 2},
                              Size{"UINT16", 2},   Size{"INT8", 1},  Size{"UINT8", 1},    Size{"BOOL", 1},
                              Size{"COMPLEX64", 8}};
  for (const Size& size : kSizes)
    if (type.starts_with(size.name)) return size.bytes;
  return 0;
}

// Returns the bytes of tensors with these shapes and types; 0 if a type is unknown.
double bytes_of(const std::vector<std::vector<double>>& shapes, std::string_view types) {
  double sum = 0;
  for (const std::vector<double>& axes : shapes) {
    const std::size_t end = std::min(types.find(';'), types.size());
    const std::string_view type = types.substr(0, end);
    types.remove_prefix(std::min(end + 1, types.size()));
    if (axes.empty()) continue;
    const double size = bytes_of_type(type);
    if (size <= 0) return 0;
    sum += size * std::accumulate(axes.begin(), axes.end(), 1.0, std::multiplies<>());
  }
  return sum;
}

}  // namespace

double bytes_by_shapes(const KernelRow& row) {
  const double in = bytes_of(row.ins, row.in_types), out = bytes_of(row.outs, row.out_types);
  return in > 0 && out > 0 ? in + out : 0;
}

// `before`: when the kernels before it had ended.
void JobReader::sum_up(std::uint32_t rank, const KernelRow& row, std::size_t line, Duration before) {
  constexpr std::size_t kMostSums = 200'000;
  std::vector<KernelTime>& sums = to_.time_.kernels;
  const std::string type = printable(row.type.empty() ? row.name : row.type);
  const auto [found, added] = kernels_of_.try_emplace({rank, type}, sums.size());
  if (added && sums.size() == kMostSums) {
    kernels_of_.erase(found);
    return;
  }
  if (added) sums.push_back({rank, type, printable(row.core)});
  KernelTime& sum = sums[found->second];
  const Duration end = *row.start + *row.time;
  ++sum.count;
  sum.little += *row.time < kLittle;
  sum.time += *row.time;
  sum.alone += std::max(Duration::zero(), end - std::max(*row.start, before));
  if (before != Duration::min()) sum.waited += std::max(Duration::zero(), *row.start - before);
  if (row.pipes) {
    for (std::size_t p = 0; p < sum.pipes.size(); ++p)
      sum.pipes[p] += static_cast<double>((*row.pipes)[p]) * microseconds(*row.time);
    sum.piped += *row.time;
  }
  if (const double bytes = bytes_by_shapes(row); bytes > 0) {
    sum.bytes += bytes;
    sum.sized_time += seconds(*row.time);
  }
  if (*row.time <= sum.longest) return;
  sum.longest = *row.time;
  sum.line = line;
}

}  // namespace a3sim

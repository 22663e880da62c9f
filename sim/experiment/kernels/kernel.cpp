#include "sim/experiment/kernels/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/config/decimal.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 50, kMostCount = std::int64_t{1} << 30;

}  // namespace

void let_other_sizes_stand(const Config& config, const KernelKind& kernel) {
  for (const auto& [name, item] : KernelKinds::all())
    for (const std::string_view key : item.object->sizes)
      if (std::ranges::find(kernel.sizes, key) == kernel.sizes.end()) config.let_stand(key);
}

std::uint64_t read_size(const Config& config, std::string_view key) {
  return static_cast<std::uint64_t>(config.integer(key, 1, kMostSize));
}

std::uint32_t read_count(const Config& config, std::string_view key) {
  return static_cast<std::uint32_t>(config.integer(key, 1, kMostCount));
}

DataType read_float(const Config& config) {
  constexpr DataType kTypes[] = {DataType::kBf16, DataType::kFp16, DataType::kFp32};
  return kTypes[config.choice("dtype", {"bf16", "fp16", "fp32"}, "bf16")];
}

DataType read_type(const Config& config, std::string_view key) {
  const auto type = config.choice(key, DataType::kBf16);
  if (type == DataType::kInt32) config.error(key, "int32 is a type of sums: expected one of operands");
  return type;
}

std::vector<std::uint32_t> read_counts(const Config& config, std::string_view key) {
  std::vector<std::uint32_t> counts;
  for (const std::string& text : config.texts(key)) {
    std::int64_t count = 0;
    if (!decimal_integer(text, count) || count < 0 || count > kMostCount)
      config.error(key, fmt::format("'{}', expected whole numbers", text));
    counts.push_back(static_cast<std::uint32_t>(count));
  }
  if (counts.empty()) config.error(key, "missing, expected a list of whole numbers");
  return counts;
}

VectorOps vector_ops(double elements, double simple, double convert, double transcendental) {
  const auto all = [elements](double each) { return static_cast<std::uint64_t>(elements * each); };
  return {all(simple), all(convert), all(transcendental)};
}

KernelWork vector_work(const KernelCost& cost, const VectorKernel& kernel) {
  KernelWork work;
  work.job = cost.vector(kernel, cost.hardware().workers.count(CoreUnit::kVector));
  work.read = kernel.read;
  work.written = kernel.written;
  return work;
}

}  // namespace a3sim

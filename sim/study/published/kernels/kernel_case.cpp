#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/study/published/kernels/layer_kernel.h"

namespace a3sim {

std::uint64_t KernelCase::number(std::string_view key) const {
  if (const auto added = numbers_.find(key); added != numbers_.end())
    return static_cast<std::uint64_t>(added->second);
  const auto it = coordinates_.find(key);
  if (it == coordinates_.end() || !it->is_number_integer() || *it <= 0)
    throw InputError(fmt::format("kernels: the case needs '{}', a whole number above 0", key));
  return it->get<std::uint64_t>();
}

std::uint64_t KernelCase::number(std::string_view key, std::uint64_t absent) const {
  return coordinates_.contains(key) ? number(key) : absent;
}

std::vector<std::uint32_t> KernelCase::numbers(std::string_view key) const {
  const auto it = coordinates_.find(key);
  const auto list = it == coordinates_.end() || !it->is_string()
                        ? nlohmann::json()
                        : nlohmann::json::parse(it->get<std::string>(), nullptr, false);
  std::vector<std::uint32_t> found;
  if (list.is_array()) {
    for (const auto& item : list)
      if (item.is_number_unsigned()) found.push_back(item.get<std::uint32_t>());
  }
  if (found.empty() || found.size() != list.size())
    throw InputError(fmt::format("kernels: the case needs '{}', a list of whole numbers", key));
  return found;
}

DataType KernelCase::dtype() const {
  for (const DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32})
    if (is("dtype", name_of(type))) return type;
  throw InputError("kernels: the case needs 'dtype', one of bf16, fp16, fp32");
}

bool KernelCase::is(std::string_view key, std::string_view text) const {
  const auto it = coordinates_.find(key);
  return it != coordinates_.end() && it->is_string() && it->get_ref<const std::string&>() == text;
}

KernelWork vector_work(const KernelCost& cost, const VectorKernel& kernel) {
  KernelWork work;
  work.job = cost.vector(kernel, cost.hardware().workers.count(CoreUnit::kVector));
  work.read = kernel.read;
  work.written = kernel.written;
  return work;
}

}  // namespace a3sim

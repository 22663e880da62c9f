#include "sim/device/block_cost.h"

#include <algorithm>
#include <variant>

#include "sim/core/whole_time.h"

namespace a3sim {
namespace {

Duration time_at(const MemoryJob& job, Resource resource, BytesPerSecond rate) {
  return Duration(whole_picoseconds(job.bytes[static_cast<std::size_t>(resource)] * 1e12 /
                                    static_cast<double>(rate.count)));
}

struct BlockWorkCost {
  KernelCost& cost;

  std::uint32_t workers(CoreUnit unit) const { return cost.hardware().workers.count(unit); }
  MemoryJob operator()(const BlockProduct& product) const {
    return cost.product(product, workers(CoreUnit::kMatrix));
  }
  MemoryJob operator()(const BlockAttention& attention) const {
    return cost.attention(attention, workers(CoreUnit::kMatrix));
  }
  MemoryJob operator()(const BlockVector& vector) const {
    return cost.vector({vector.read, vector.written, vector.ops, vector.rows, vector.steps},
                       workers(CoreUnit::kVector));
  }
  MemoryJob operator()(const BlockCollective&) const { return {}; }
};

}  // namespace

MemoryJob block_kernel_cost(const BlockKernel& kernel, KernelCost& cost) {
  return std::visit(BlockWorkCost{cost}, kernel.work);
}

Duration time_alone(const MemoryJob& job, const Hardware& hardware) {
  return std::max({job.ideal, time_at(job, Resource::kL2Read, hardware.memory.l2_read),
                   time_at(job, Resource::kL2Write, hardware.memory.l2_write),
                   time_at(job, Resource::kHbm, hardware.memory.hbm_read)});
}

void settle(MemoryJob& job, const Hardware& hardware) {
  const Duration hbm = time_at(job, Resource::kHbm, hardware.memory.hbm_read);
  job.hbm += std::max(Duration::zero(), hbm - job.ideal);
  job.ideal = time_alone(job, hardware);
}

}  // namespace a3sim

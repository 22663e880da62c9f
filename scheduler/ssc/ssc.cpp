#include "scheduler/ssc/ssc.h"

#include <fmt/format.h>

#include "scheduler/ssc/ssc_body.h"
#include "scheduler/ssc/ssc_check.h"
#include "sim/core/error.h"

namespace a3sim {

Ssc Ssc::sound(std::shared_ptr<const Body> body, const std::string& name) {
  Ssc ssc(std::move(body));
  if (const auto flaw = find_flaw(ssc)) throw InputError(name + ": " + flaw->message);
  return ssc;
}

Ssc Ssc::open(const std::filesystem::path& path) {
  auto body = std::make_shared<Body>();
  body->mapping = FileMapping(path);
  body->bytes = body->mapping.bytes();
  body->take_checksum(path.string());
  body->decode(path.string());
  return sound(std::move(body), path.string());
}

Ssc Ssc::decoded(std::shared_ptr<Body> body, const std::string& name) {
  body->decode(name);
  return Ssc(std::move(body));
}

Ssc Ssc::from_buffer(std::vector<std::uint8_t> bytes, const std::string& name) {
  auto body = std::make_shared<Body>();
  const auto buffer = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  body->bytes = *buffer;
  body->buffer = buffer;
  return sound(decoded(std::move(body), name).body_, name);
}

Ssc Ssc::build(const SscParts& parts) {
  const std::string name = fmt::format("schedule '{}' of rank {}", parts.graph, index(parts.rank));
  return sound(decoded(encode(parts), name).body_, name);
}

const MoeShape& Ssc::shape() const { return body_->shape; }
RankId Ssc::rank() const { return body_->rank; }
std::span<const std::uint32_t> Ssc::sent_capacity() const { return body_->sent_capacity; }
std::span<const std::uint32_t> Ssc::received_capacity() const { return body_->received_capacity; }
const std::string& Ssc::graph() const { return body_->graph; }
const std::string& Ssc::order() const { return body_->order; }
Assignment Ssc::assignment() const { return body_->assignment; }
const WorkerKinds& Ssc::kinds() const { return body_->kinds; }
std::span<const TensorInfo> Ssc::tensors() const { return body_->tensors; }
std::span<const OperatorInfo> Ssc::operators() const { return body_->operators; }
std::span<const Tiling> Ssc::tilings() const { return body_->tilings; }
std::span<const TaskDescriptor> Ssc::tasks() const { return body_->tasks; }
std::span<const Region> Ssc::regions() const { return body_->regions; }
std::span<const EventDescriptor> Ssc::events() const { return body_->events; }
std::span<const WorkerSet> Ssc::worker_sets() const { return body_->worker_sets; }
std::span<const std::uint32_t> Ssc::queue(std::uint32_t queue) const { return body_->queues[queue]; }
std::span<const std::uint8_t> Ssc::bytes() const { return body_->bytes; }

}  // namespace a3sim

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scheduler/ssc/file_mapping.h"
#include "scheduler/ssc/ssc.h"

namespace a3sim {

namespace fb {
struct Ssc;
}

// The contents of an Ssc: the bytes in a buffer or a mapping, views of the large tables in them, and copies
// of the small ones. Must not be moved once filled, because views point into it.
struct Ssc::Body {
  std::shared_ptr<const void> buffer;
  FileMapping mapping;
  std::span<const std::uint8_t> bytes;

  MoeShape shape;
  RankId rank{};
  std::string graph, order;
  Assignment assignment{};
  WorkerKinds kinds;
  std::vector<TensorInfo> tensors;
  std::vector<OperatorInfo> operators;

  std::span<const std::uint32_t> sent_capacity, received_capacity;
  std::span<const Tiling> tilings;
  std::span<const TaskDescriptor> tasks;
  std::span<const Region> regions;
  std::span<const EventDescriptor> events;
  std::span<const WorkerSet> worker_sets;
  std::vector<std::span<const std::uint32_t>> queues;

  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  // Fills the views and copies from `bytes`. Throws InputError that starts with `name` unless the bytes are a
  // schedule of this version whose offsets are all within bounds. ssc_check.h checks what the numbers mean.
  void decode(const std::string& name);
  // Removes the checksum from the end of a file's bytes. Throws InputError that starts with `name` if it is
  // missing or wrong.
  void take_checksum(const std::string& name);

 private:
  void decode_aic_and_aiv(const fb::Ssc& root, const std::string& name);
  void decode_kinds(const fb::Ssc& root, const std::string& name);
};

}  // namespace a3sim

#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/registry.h"
#include "sim/network/network.h"
#include "sim/runtime/put_unit.h"
#include "tests/runtime/small_machine.h"

namespace a3sim {

inline constexpr std::uint32_t kWorkers = 4;

// A device without tasks. Records when its puts left, became visible and ended.
class Site final : public PutUnit::Owner {
 public:
  L2Traffic access_of_put(TensorAccess access, OpId) override {
    (access.l2.write ? written : read) += access.bytes();
    if (access.l2.write) wrote.push_back(access.l2.rows.end);
    return found;
  }
  void reserve(Engine&, const std::array<double, kResources>& rates) override { reserved.push_back(rates); }
  void put_has_left(Engine& engine, std::uint32_t worker, Time visible) override {
    left[worker] = engine.now();
    seen[worker] = visible;
  }
  void put_has_ended(Engine& engine, std::uint32_t worker) override { ended[worker] = engine.now(); }

  L2Traffic found;
  std::uint64_t read = 0, written = 0;
  std::vector<std::uint32_t> wrote;  // the last row of each write
  std::vector<std::array<double, kResources>> reserved;
  std::array<Time, kWorkers> left, seen, ended;
};

inline Work put_of(std::uint32_t dst, std::uint32_t rows, std::uint32_t src = 0) {
  Work work;
  work.kind = WorkKind::kPut;
  work.src = RankId{src};
  work.dst = RankId{dst};
  work.put_bytes = std::uint64_t{rows} * kRowBytes;
  for (const bool write : {false, true}) {
    Stream& stream = work.streams.emplace_back();
    stream.tensor = TensorId{write ? 1U : 0U};
    stream.rows = {0, rows};
    stream.bytes = work.put_bytes;
    stream.write = write;
  }
  return work;
}

// Links between two or three ranks on neighbouring dies.
class Links {
 public:
  explicit Links(std::uint32_t ranks, Hardware machine = small_machine(),
                 const LinkDisturbances* disturbances = nullptr, const CablePlanes& cables = {})
      : hardware(std::move(machine)),
        dies_(numbered(ranks)),
        fabric_(hardware, program_, dies_, kWorkers, Registry<NetworkBackend>::get("native"),
                Transport::kPuts, disturbances, 0, cables),
        sites(ranks) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      units_.push_back(std::make_unique<PutUnit>(RankId{r}, kWorkers, hardware.memory, fabric_, sites[r]));
      all_.push_back(units_.back().get());
    }
    fabric_.connect({all_.begin(), all_.end()});
    for (const auto& unit : units_) unit->connect(all_);
  }
  PutUnit& operator[](std::uint32_t rank) { return *units_[rank]; }

  const Fabric& fabric() const { return fabric_; }

  Hardware hardware;

 private:
  Program program_ = small_program();
  static std::vector<std::uint32_t> numbered(std::uint32_t ranks) {
    std::vector<std::uint32_t> dies;
    for (std::uint32_t r = 0; r < ranks; ++r) dies.push_back(r);
    return dies;
  }
  std::vector<std::uint32_t> dies_;
  Fabric fabric_;

 public:
  std::vector<Site> sites;

 private:
  std::vector<std::unique_ptr<PutUnit>> units_;
  std::vector<PutUnit*> all_;
};

inline Duration flow_time(std::uint32_t rows, BytesPerSecond rate) {
  return transfer_time(Bytes{std::int64_t{rows} * kRowBytes}, rate);
}

}  // namespace a3sim

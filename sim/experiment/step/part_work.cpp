#include "sim/experiment/step/part_work.h"

#include <algorithm>

#include "sim/core/whole_time.h"

namespace a3sim {

void PartWork::add(const MemoryJob& more, TimeClass kind) {
  const Duration products = job.arithmetic;
  job += more;
  if (kind == TimeClass::kVector) job.arithmetic = products;  // what a part computes is told by its products
  at(classes, kind) += more.ideal;
}

void PartWork::add(const PartWork& more) {
  job += more.job;
  hold += more.hold;
  a3sim::add(more.classes, classes);
  launches += more.launches;
  calls += more.calls;
  exchanging += more.exchanging;
  tp_sent += more.tp_sent;
  cp_sent += more.cp_sent;
  tp_calls += more.tp_calls;
  cp_calls += more.cp_calls;
}

PartWork PartWork::piece(std::uint32_t from, std::uint32_t to, std::uint32_t of) const {
  const auto part = [&](Duration all) {
    return all * static_cast<std::int64_t>(to) / static_cast<std::int64_t>(of) -
           all * static_cast<std::int64_t>(from) / static_cast<std::int64_t>(of);
  };
  PartWork piece;
  piece.hold = part(hold);
  for (Duration MemoryJob::* const time :
       {&MemoryJob::ideal, &MemoryJob::arithmetic, &MemoryJob::missing, &MemoryJob::hbm})
    piece.job.*time = part(job.*time);
  for (std::uint32_t r = 0; r < kResources; ++r)
    piece.job.bytes[r] = job.bytes[r] * static_cast<double>(to - from) / of;
  piece.classes = scaled(classes, piece.alone());
  piece.exchanging = part(exchanging);
  return piece;
}

PartWork PartWork::times(std::uint32_t count) const {
  PartWork all;
  for (std::uint32_t n = 0; n < count; ++n) all.add(*this);
  return all;
}

Duration ExchangeWork::alone() const {
  Duration longest = job.ideal;
  for (const StreamTransfer& transfer : transfers)
    longest = std::max(longest, Duration(whole_picoseconds(static_cast<double>(transfer.bytes.count) * 1e12 /
                                                           static_cast<double>(transfer.rate.count))));
  return hold + longest;
}

}  // namespace a3sim

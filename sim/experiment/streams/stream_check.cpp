#include "sim/experiment/streams/stream_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace a3sim {
namespace {

void check_workers(const StreamProgram& program, const StreamTask& task, const std::string& who,
                   Findings& findings) {
  if (task.units == 0) return;
  if (task.kind >= program.kinds.size()) {
    findings.errors.push_back(fmt::format("{} needs workers of kind {}, and there are {} kinds", who,
                                          task.kind, program.kinds.size()));
  } else if (const StreamWorkers& kind = program.kinds[task.kind]; task.units > kind.count) {
    findings.errors.push_back(
        fmt::format("{} needs {} {}, and a rank has {}", who, task.units, kind.name, kind.count));
  }
}

void check_transfers(const StreamProgram& program, const StreamTask& task, Peers peers,
                     const std::string& who, Findings& findings) {
  for (const StreamTransfer& transfer : task.transfers) {
    if (index(transfer.dst) >= program.ranks || (transfer.dst == task.rank && peers == Peers::kAreRanks))
      findings.errors.push_back(
          fmt::format("{} sends to rank {}, which is no other rank", who, index(transfer.dst)));
    if (transfer.bytes.count <= 0 || transfer.rate.count <= 0)
      findings.errors.push_back(fmt::format("{} sends {} bytes at {} bytes per second", who,
                                            transfer.bytes.count, transfer.rate.count));
  }
}

std::size_t streams_of(const StreamProgram& program) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> streams;
  for (const StreamTask& task : program.tasks) streams.emplace(index(task.rank), task.stream);
  return streams.size();
}

// Counts the rows of the forward products, or in backward of the gradients of activations, which have the
// same name. Rows are computed once, or by every rank if each has a part of the width of all experts.
void check_rows(const StreamPass& pass, const MicroBatch& batch, Findings& findings) {
  std::vector<std::uint64_t> computed(batch.rows.size(), 0);
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    if (pass.program.tasks[t].name != KernelName::kGmm1) continue;
    for (const ExpertRows& rows : pass.rows[t]) computed[rows.expert] += rows.rows;
  }
  const auto is_computed = [&](std::uint64_t times) {
    return std::ranges::equal(computed, batch.rows, [&](std::uint64_t number, std::uint32_t rows) {
      return number == times * rows;
    });
  };
  const bool in_parts = !is_computed(1) && is_computed(pass.program.ranks);
  std::uint64_t routed = 0;
  for (std::size_t e = 0; e < computed.size(); ++e) {
    routed += batch.rows[e];
    if (!in_parts && computed[e] != batch.rows[e])
      findings.errors.push_back(fmt::format("{} rows of expert {} are computed, and {} are routed to it",
                                            computed[e], e, batch.rows[e]));
  }
  if (!findings.errors.empty()) return;
  findings.notes.push_back(fmt::format("{} rows of {} experts are routed, and each is computed {}", routed,
                                       computed.size(), in_parts ? "by every rank, in a part" : "once"));
}

}  // namespace

Findings check_program(const StreamProgram& program, Peers peers) {
  Findings findings;
  std::size_t waits = 0;
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const StreamTask& task = program.tasks[t];
    const std::string who = fmt::format("task {} ({} of rank {})", t, task.name, index(task.rank));
    waits += task.after.size();
    if (index(task.rank) >= program.ranks)
      findings.errors.push_back(fmt::format("{}: there are {} ranks", who, program.ranks));
    for (const std::uint32_t before : task.after) {
      if (before >= t)
        findings.errors.push_back(
            fmt::format("{} waits for task {}, which does not come before it", who, before));
    }
    check_workers(program, task, who, findings);
    check_transfers(program, task, peers, who, findings);
  }
  findings.notes.push_back(fmt::format("{} tasks on {} streams of {} ranks", program.tasks.size(),
                                       streams_of(program), program.ranks));
  // A task that waits for workers holds none, and those before it in its queue run first.
  if (findings.errors.empty())
    findings.notes.push_back(
        fmt::format("no deadlock, whatever tasks take: each of {} waits is for an earlier task", waits));
  return findings;
}

Findings check_stream_pass(const StreamPass& pass, const MicroBatch& batch) {
  Findings findings = check_program(pass.program);
  if (findings.errors.empty()) check_rows(pass, batch, findings);
  return findings;
}

}  // namespace a3sim

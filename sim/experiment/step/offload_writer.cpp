#include "sim/experiment/step/offload_writer.h"

namespace a3sim {

OffloadWriter::OffloadWriter(const StepParts& parts, StepTasks& tasks)
    : step_(parts.step),
      blocks_(parts.blocks),
      tasks_(tasks),
      begun_(parts.layout.shape.stages),
      ended_(begun_) {
  if (step_.offload == 0) return;
  out_.resize(parts.layout.blocks() * step_.micro_batches(), kNone);
  in_ = out_;
}

void OffloadWriter::forward(const ChunkWork& work, const AfterTasks& after) {
  if (!out_.empty()) begun_[work.stage] = begins(work, after);
}

void OffloadWriter::ended(const ChunkWork& work, const AfterTasks& after) {
  if (!out_.empty()) ended_[work.stage] = after;
}

AfterTasks OffloadWriter::begins(const ChunkWork& work, AfterTasks after) const {
  const AfterTasks& before = ended_[work.stage];
  after.insert(after.end(), before.begin(), before.end());
  return after;
}

void OffloadWriter::out(const ChunkWork& work, std::uint32_t block, const AfterTasks& after) {
  const double bytes = offloaded_bytes(step_, blocks_[block]);
  if (bytes > 0) out_[at(work)] = tasks_.swap(work, false, bytes, after).front();
}

AfterTasks OffloadWriter::in(const ChunkWork& work, std::uint32_t block, AfterTasks after) {
  if (out_.empty()) return after;
  AfterTasks ahead = begun_[work.stage];
  begun_[work.stage] = begins(work, after);
  const double bytes = offloaded_bytes(step_, blocks_[block]);
  if (bytes == 0) return after;
  ahead.push_back(out_[at(work)]);
  in_[at(work)] = tasks_.swap(work, true, bytes, std::move(ahead)).front();
  after.push_back(in_[at(work)]);
  return after;
}

void OffloadWriter::keep(const ChunkWork& work, std::uint32_t block, std::uint32_t first, std::uint32_t last,
                         std::vector<KeptBytes>& kept) const {
  const double all = blocks_[block].kept, moved = offloaded_bytes(step_, blocks_[block]);
  kept.push_back({first, last, all - moved});
  if (moved == 0) return;
  kept.push_back({first, out_[at(work)], moved});
  kept.push_back({in_[at(work)], last, moved});
}

}  // namespace a3sim

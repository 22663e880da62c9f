#include "sim/experiment/step/step_program.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "sim/experiment/step/block_writer.h"
#include "sim/experiment/step/offload_writer.h"
#include "sim/experiment/step/update_writer.h"

namespace a3sim {
namespace {

class StepWriter {
 public:
  StepWriter(const StepParts& parts, const StageOrders& orders)
      : parts_(parts),
        layout_(parts.layout),
        orders_(orders),
        tasks_(parts, written_),
        blocks_(parts, tasks_),
        update_(parts, tasks_),
        offload_(parts, tasks_),
        forward_(std::size_t{layout_.shape.chunks()} * layout_.shape.micro_batches),
        backward_(forward_.size()),
        first_task_(parts.layout.blocks() * layout_.shape.micro_batches),
        left_(layout_.shape.chunks(), layout_.shape.micro_batches_a_copy()),
        blocks_before_(layout_.blocks_before()) {
    for (const std::vector<StageWork>& stage : orders_) works_ += stage.size();
  }

  StepProgram write() {
    for (std::uint32_t s = 0; s < layout_.shape.stages; ++s) update_.gather_ahead(s);
    std::vector<std::size_t> next(layout_.shape.stages, 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t s = 0; s < layout_.shape.stages; ++s) {
        while (next[s] < orders_[s].size() && write_next(s, next[s])) {
          moved = true;
          make_room();
        }
      }
    }
    for (std::uint32_t s = 0; s < layout_.shape.stages; ++s) {
      if (next[s] < orders_[s].size()) throw std::logic_error("a stage's order waits for ever");
      update_.finish(s);
    }
    if (const StageCables::Hold& hold = tasks_.cable_hold(); hold.part < 1) {
      written_.fullest_cable = hold.cable;
      written_.cable_part = hold.part;
    }
    StageCables::Load load = tasks_.fullest_cable();
    written_.busiest_cable = std::move(load.cable);
    written_.cable_time = load.time;
    tasks_.share_cables();
    return std::move(written_);
  }

 private:
  using Ends = std::vector<std::optional<AfterTasks>>;

  std::size_t at(std::uint32_t chunk, std::uint32_t micro_batch) const {
    return std::size_t{chunk} * layout_.shape.micro_batches + micro_batch;
  }
  std::size_t at_block(const ChunkWork& work) const {
    return std::size_t{work.layer} * layout_.shape.micro_batches + work.micro_batch;
  }
  std::size_t at(const StageWork& work) const { return at(work.chunk, work.micro_batch); }

  // Returns the tasks of other stages that the work needs, or nullopt if they are not written yet.
  std::optional<AfterTasks> needs(const StageWork& work) const {
    if (work.kind == StageWork::Kind::kWeightGradient) return AfterTasks{};
    if (!work.backward())
      return layout_.shape.is_first(work.chunk) ? std::optional(AfterTasks{})
                                                : forward_[at(work.chunk - 1, work.micro_batch)];
    return layout_.shape.is_last(work.chunk) ? forward_[at(work)]
                                             : backward_[at(work.chunk + 1, work.micro_batch)];
  }

  // Makes room for all tasks once an eighth of the work is written: a long program that grows by doubling is moved again and
  // again, and takes thrice its memory meanwhile.
  void make_room() {
    constexpr std::size_t kPart = 8;
    if (roomy_ || ++written_works_ * kPart < works_) return;
    roomy_ = true;
    const std::size_t tasks =
        written_.tasks.size() * (kPart + 1);  // the first works are forward passes, which are shorter
    written_.program.tasks.reserve(tasks);
    written_.tasks.reserve(tasks);
    written_.cables.of_transfer.reserve(tasks);
  }

  bool write_next(std::uint32_t stage, std::size_t& next) {
    const StageWork& work = orders_[stage][next];
    std::optional<AfterTasks> after = needs(work);
    if (!after) return false;
    if (!work.with_next) {
      write(stage, work, std::move(*after));
      ++next;
      return true;
    }
    const StageWork& other = orders_[stage][next + 1];
    std::optional<AfterTasks> after_other = needs(other);
    if (!after_other) return false;
    work.backward() ? write_pair(stage, other, work, {{}, {}, std::move(*after_other), std::move(*after)})
                    : write_pair(stage, work, other, {{}, {}, std::move(*after), std::move(*after_other)});
    next += 2;
    return true;
  }

  static ChunkWork chunk_work(std::uint32_t stage, const StageWork& work) {
    ChunkWork part{stage, work.chunk, work.micro_batch, work.kind != StageWork::Kind::kForward};
    part.weights_only = work.kind == StageWork::Kind::kWeightGradient;
    return part;
  }

  void write(std::uint32_t stage, const StageWork& work, AfterTasks after) {
    ChunkWork part = chunk_work(stage, work);
    const std::uint32_t first = blocks_before_[work.chunk];
    part.layer = first;
    const std::vector<std::uint32_t>& chunk = layout_.chunks[work.chunk];
    if (!part.backward) {
      for (const std::uint32_t block : chunk) {
        after = write_forward(part, block, std::move(after));
        ++part.layer;
      }
      return end_forward(part, std::move(after));
    }
    const bool split = work.kind == StageWork::Kind::kActivationGradient;
    for (std::size_t b = chunk.size(); b-- > 0;) {
      part.layer = first + static_cast<std::uint32_t>(b);
      if (work.kind == StageWork::Kind::kWeightGradient) {
        after = end_block(part, chunk[b], blocks_.weights(part, chunk[b], std::move(after)), false);
      } else {
        after = write_backward(part, chunk[b], std::move(after), split);
      }
    }
    if (work.kind != StageWork::Kind::kWeightGradient) end_backward(part, after);
    if (!split) --left_[work.chunk];
  }

  AfterTasks write_forward(const ChunkWork& part, std::uint32_t block, AfterTasks after) {
    after = update_.gathered(part, std::move(after));
    first_task_[at_block(part)] = static_cast<std::uint32_t>(tasks_.count());
    offload_.forward(part, after);
    after = blocks_.forward(part, block, std::move(after));
    offload_.out(part, block, after);
    offload_.ended(part, after);
    return after;
  }
  AfterTasks write_backward(const ChunkWork& part, std::uint32_t block, AfterTasks after, bool split) {
    after = offload_.in(part, block, update_.gathered(part, std::move(after)));
    after = blocks_.backward(part, block, std::move(after), split);
    offload_.ended(part, after);
    return end_block(part, block, std::move(after), split);
  }
  // Ends a block's backward pass, unless its weight gradients are left for later. Returns what the next block
  // waits for.
  AfterTasks end_block(const ChunkWork& part, std::uint32_t block, AfterTasks after, bool split) {
    if (split) return after;
    // Launches and exchanges may come much earlier.
    std::uint32_t first = first_task_[at_block(part)];
    while (written_.tasks[first].kind != StepTask::Kind::kCompute) ++first;
    if (!after.empty()) offload_.keep(part, block, first, *std::ranges::max_element(after), written_.kept);
    return update_.computed(part, std::move(after), left_[part.chunk] == 1);
  }

  // Writes two passes layer by layer: the first layer of the forward chunk beside the last of the backward
  // one.
  void write_pair(std::uint32_t stage, const StageWork& ahead, const StageWork& back,
                  BlockWriter::Pair pair) {
    pair.forward = chunk_work(stage, ahead);
    pair.backward = chunk_work(stage, back);
    pair.forward.paired = pair.backward.paired = true;
    const bool split = back.kind == StageWork::Kind::kActivationGradient;
    const std::vector<std::uint32_t>&f = layout_.chunks[ahead.chunk], &b = layout_.chunks[back.chunk];
    // Only experts hide anything. Other layers are written in turn.
    for (std::size_t i = 0, j = b.size(); i < f.size() || j > 0;) {
      pair.forward.layer = blocks_before_[ahead.chunk] + static_cast<std::uint32_t>(i);
      pair.backward.layer = blocks_before_[back.chunk] + static_cast<std::uint32_t>(j > 0 ? j - 1 : 0);
      const bool forward_alone = i < f.size() && parts_.blocks[f[i]].experts.empty();
      const bool backward_alone = j > 0 && parts_.blocks[b[j - 1]].experts.empty();
      if (i < f.size() && (forward_alone || j == 0)) {
        pair.after_forward = write_forward(pair.forward, f[i], std::move(pair.after_forward));
        ++i;
      } else if (j > 0 && (backward_alone || i == f.size())) {
        --j;
        pair.after_backward = write_backward(pair.backward, b[j], std::move(pair.after_backward), split);
      } else {
        --j;
        pair.after_forward = update_.gathered(pair.forward, std::move(pair.after_forward));
        pair.after_backward = update_.gathered(pair.backward, std::move(pair.after_backward));
        pair.after_backward = offload_.in(pair.backward, b[j], std::move(pair.after_backward));
        first_task_[at_block(pair.forward)] = static_cast<std::uint32_t>(tasks_.count());
        blocks_.both(pair, f[i], b[j], split);
        offload_.out(pair.forward, f[i], pair.after_forward);
        offload_.ended(pair.backward, pair.after_backward);
        ++i;
        pair.after_backward = end_block(pair.backward, b[j], std::move(pair.after_backward), split);
      }
    }
    end_forward(pair.forward, std::move(pair.after_forward));
    end_backward(pair.backward, pair.after_backward);
    if (!split) --left_[back.chunk];
  }

  void end_forward(const ChunkWork& work, AfterTasks after) {
    const bool last = layout_.shape.is_last(work.chunk);
    forward_[at(work.chunk, work.micro_batch)] =
        last ? after : tasks_.send(work, layout_.stage_of[work.chunk + 1], std::move(after));
  }

  void end_backward(const ChunkWork& work, const AfterTasks& after) {
    backward_[at(work.chunk, work.micro_batch)] =
        layout_.shape.is_first(work.chunk) ? after
                                           : tasks_.send(work, layout_.stage_of[work.chunk - 1], after);
  }

  const StepParts& parts_;
  const StageLayout& layout_;
  const StageOrders& orders_;
  StepProgram written_;
  StepTasks tasks_;
  BlockWriter blocks_;
  UpdateWriter update_;
  OffloadWriter offload_;
  Ends forward_, backward_;  // one entry per chunk, then micro-batch: what the next chunk waits for
  // One entry per block of the model, then micro-batch: the first task of the forward pass.
  std::vector<std::uint32_t> first_task_;
  std::vector<std::uint32_t> left_;            // one entry per chunk: micro-batches without weight gradients
  std::vector<std::uint32_t> blocks_before_;   // one entry per chunk
  std::size_t works_ = 0, written_works_ = 0;  // passes in the orders, and those that are written
  bool roomy_ = false;
};

}  // namespace

StepProgram write_step(const StepParts& parts, const StageOrders& orders) {
  return StepWriter(parts, orders).write();
}

}  // namespace a3sim

#include "sim/experiment/step/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// An MTP block follows the layers, with the head.
bool is_layer(const std::string& kind) { return kind != "mtp" && BlockKinds::get(kind).is_layer(); }

using Chunks = std::vector<std::vector<std::string>>;

// Deals the first `count` blocks of `dealt` evenly. The blocks before and after them go to the first and the
// last chunk.
Chunks dealt_evenly(const std::vector<std::string>& blocks, std::uint32_t chunks, bool slots) {
  const auto counts = [&](const std::string& kind) { return slots ? kind != "mtp" : is_layer(kind); };
  const auto all = static_cast<std::uint32_t>(std::ranges::count_if(blocks, counts));
  const std::uint32_t each = (all + chunks - 1) / chunks;
  Chunks dealt(chunks);
  std::uint32_t number = 0;
  for (const std::string& kind : blocks) {
    // The last slots of a pipeline are the empty ones, but the head is in the last chunk.
    const std::uint32_t chunk = !counts(kind) && number > 0 ? chunks - 1
                                : slots && kind == "head"   ? chunks - 1
                                : each > 0                  ? std::min(number / each, chunks - 1)
                                                            : 0;
    dealt[chunk].push_back(kind);
    if (counts(kind)) ++number;
  }
  return dealt;
}

// Expands "(tt|)*3" to "tt|tt|tt|".
std::string expanded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '(' && text[i] != '*') {
      out += text[i];
      continue;
    }
    const std::string part = text[i] == '(' ? text.substr(i + 1, text.find(')', i) - i - 1) : std::string();
    const std::size_t star = text.find(')', i);
    std::uint32_t times = 0;
    const char* const end = text.data() + text.size();
    if (star == std::string::npos || star + 1 >= text.size() || text[star + 1] != '*')
      throw InputError(fmt::format("'{}': expected a number of repeats behind the brackets: (tt|)*6", text));
    const auto [rest, error] = std::from_chars(text.data() + star + 2, end, times);
    if (error != std::errc() || times == 0 || times > 4096)
      throw InputError(fmt::format("'{}': expected a number of repeats behind the brackets: (tt|)*6", text));
    for (std::uint32_t n = 0; n < times; ++n) out += part;
    i = static_cast<std::size_t>(rest - text.data()) - 1;
  }
  return out;
}

Chunks dealt_by(const std::string& text, const std::vector<std::string>& blocks) {
  Chunks dealt(1);
  std::size_t number = 0;
  for (const char c : expanded(text)) {
    if (c == '|') {
      dealt.emplace_back();
      continue;
    }
    const std::string_view meant = c == 'E' ? "embedding" : c == 'm' ? "mtp" : c == 'L' ? "head" : "layer";
    const bool fits =
        number < blocks.size() && (c == 't' ? is_layer(blocks[number]) : blocks[number] == meant);
    if (!fits) {
      throw InputError(fmt::format(
          "'{}': block {} of the model is {}, expected {} here ('{}'; E embedding, t layer, m MTP, L head)",
          text, number, number < blocks.size() ? "'" + blocks[number] + "'" : "missing", meant, c));
    }
    dealt.back().push_back(blocks[number++]);
  }
  if (number < blocks.size())
    throw InputError(fmt::format("'{}' has {} blocks, and the model has {}", text, number, blocks.size()));
  return dealt;
}

}  // namespace

std::size_t StageLayout::blocks() const { return blocks_before().back() + chunks.back().size(); }

std::vector<std::uint32_t> StageLayout::chunks_of(std::uint32_t stage) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t c = 0; c < chunks.size(); ++c)
    if (stage_of[c] == stage) found.push_back(c);
  return found;
}

std::vector<std::uint32_t> StageLayout::blocks_before() const {
  std::vector<std::uint32_t> before;
  std::uint32_t sum = 0;
  for (const std::vector<std::uint32_t>& chunk : chunks) {
    before.push_back(sum);
    sum += static_cast<std::uint32_t>(chunk.size());
  }
  return before;
}

std::vector<std::uint32_t> StageLayout::blocks_of(std::uint32_t stage) const {
  std::vector<std::uint32_t> blocks;
  for (const std::uint32_t c : chunks_of(stage))
    blocks.insert(blocks.end(), chunks[c].begin(), chunks[c].end());
  return blocks;
}

StageLayout stage_layout(const std::vector<std::string>& blocks, const StepOptions& step) {
  StageLayout layout;
  layout.shape = {step.pp,
                  step.vpp,
                  step.micro_batches(),
                  step.split_weights,
                  step.overlap == EpOverlap::kTwoMicroBatches,
                  step.copies};
  const std::uint32_t chunks = layout.shape.chunks_a_copy();
  const auto layers = step.split == "layers" ? std::ranges::count_if(blocks, is_layer) : std::ssize(blocks);
  if (layers < chunks) {
    throw InputError(
        fmt::format("{} layers for {} chunks (parallel.pp times parallel.vpp): expected at most {} chunks",
                    layers, chunks, layers));
  }
  const bool even = step.split == "layers" || step.split == "slots";
  const Chunks dealt =
      even ? dealt_evenly(blocks, chunks, step.split == "slots") : dealt_by(step.split, blocks);
  if (dealt.size() != chunks)
    throw InputError(fmt::format("'{}' has {} chunks, expected {}: parallel.pp times parallel.vpp",
                                 step.split, dealt.size(), chunks));
  const PipelineSchedule& schedule = PipelineSchedules::get(step.schedule);
  for (std::uint32_t c = 0; c < chunks; ++c) {
    std::vector<std::uint32_t>& chunk = layout.chunks.emplace_back();
    std::uint32_t layers = 0;
    for (const std::string& name : dealt[c]) {
      StageLayout::Kind kind{name};
      if (step.recompute_layers > 0) kind.again = is_layer(name) && layers++ < step.recompute_layers;
      const auto found = std::ranges::find(layout.kinds, kind);
      chunk.push_back(static_cast<std::uint32_t>(found - layout.kinds.begin()));
      if (found == layout.kinds.end()) layout.kinds.push_back(std::move(kind));
    }
    if (chunk.empty())
      throw InputError(
          fmt::format("chunk {} of {} has no layer: expected fewer chunks, or step.split as a "
                      "layout string that says which layers each has",
                      c, chunks));
    layout.stage_of.push_back(schedule.stage_of(layout.shape, c));
  }
  for (std::uint32_t c = chunks; c < layout.shape.chunks(); ++c) {
    layout.chunks.push_back(layout.chunks[c % chunks]);
    layout.stage_of.push_back(schedule.stage_of(layout.shape, c));
  }
  return layout;
}

}  // namespace a3sim

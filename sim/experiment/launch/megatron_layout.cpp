#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "sim/experiment/launch/launch_reader.h"

namespace a3sim {
namespace {

using Positions = std::vector<std::vector<std::uint32_t>>;

class LayoutReader {
 public:
  explicit LayoutReader(LaunchReader& reader) : reader_(reader) {}

  std::optional<ScriptChunks> read() {
    const auto tp = size("tensor-model-parallel-size", "parallel.tp");
    pp_ = size("pipeline-model-parallel-size", "parallel.pp").value_or(0);
    read_context(size("context-parallel-size", "parallel.cp").value_or(1));
    read_experts(tp);
    read_dies();
    const bool sequence = reader_.flag("sequence-parallel");
    reader_.set("step.sequence_parallel", sequence ? "true" : "false", reader_.mark("sequence-parallel"));
    return read_pipeline();
  }

 private:
  std::optional<std::int64_t> size(std::string_view name, std::string_view key) {
    const auto value = reader_.whole_or(name, key, 1);
    if (value) reader_.set(key, *value, reader_.value_mark(name));
    return value;
  }

  void read_dies() {
    if (reader_.has("worker-num")) return reader_.copy("worker-num", "parallel.dies");
    const auto nodes = reader_.whole_or("nnodes", "parallel.dies", 1);
    const auto each = reader_.whole("nproc-per-node", "parallel.dies");
    if (nodes && each) {
      reader_.set("parallel.dies", *nodes * *each,
                  reader_.value_mark(reader_.has("nnodes") ? "nnodes" : "nproc-per-node"));
      constexpr std::int64_t kDiesANode = 16;
      if (*each != kDiesANode && *nodes > 1)
        reader_.note(
            fmt::format("--nproc_per_node {} (line {}): a node of this machine has {} dies, and ranks lie on "
                        "neighbouring ones",
                        *each, reader_.mark("nproc-per-node").line, kDiesANode),
            reader_.mark("nproc-per-node"));
    } else if (!reader_.has("nproc-per-node")) {
      reader_.open(
          "parallel.dies",
          "the script does not say how many dies run it (--nproc_per_node, --nnodes): --set parallel.dies=N",
          reader_.start());
    }
  }

  void read_context(std::int64_t cp) {
    if (cp <= 1) return;
    const char* const name = reader_.has("context-parallel-algo") ? "context-parallel-algo" : "cp-comm-type";
    const auto kind = reader_.text(name, "step.cp_exchange");
    constexpr const char* kKey = "step.cp_exchange";
    if (kind == "megatron_cp_algo" || kind == "p2p")
      return reader_.set(kKey, "ring", reader_.value_mark(name));
    if (kind == "ulysses_cp_algo" || kind == "a2a")
      return reader_.set(kKey, "ulysses", reader_.value_mark(name));
    if (!kind && reader_.has(name)) return;
    reader_.open(kKey,
                 fmt::format("{}: --set step.cp_exchange=ring or ulysses",
                             kind ? fmt::format("--{} {} is not simulated", name, *kind)
                                  : "the script does not say how tokens of a context-parallel group meet "
                                    "(--context-parallel-algo), and defaults differ"),
                 reader_.value_mark(name));
  }

  // Experts are shared by an expert-parallel group; their weights are split over TP besides, unless the script says that
  // they are not.
  void read_experts(std::optional<std::int64_t> tp) {
    if (!reader_.has("num-experts")) return;
    const auto ep = reader_.whole_or("expert-model-parallel-size", "parallel.ep", 1);
    if (!ep || !tp) return;
    const Mark mark = reader_.value_mark("expert-model-parallel-size");
    if (reader_.flag("moe-tp-extend-ep")) return reader_.set("parallel.ep", *ep * *tp, mark);
    const bool said = reader_.has("expert-tensor-parallel-size");
    const auto split = reader_.whole_or("expert-tensor-parallel-size", "parallel.etp", *tp);
    if (!split) return;
    reader_.set("parallel.ep", *ep, mark);
    if (*split > 1)
      reader_.set("parallel.etp", *split,
                  reader_.value_mark(said ? "expert-tensor-parallel-size" : "tensor-model-parallel-size"));
  }

  std::optional<ScriptChunks> read_pipeline() {
    const auto layers = reader_.whole("num-layers", "model.layers");
    if (!layers || pp_ == 0) return {};
    layers_ = static_cast<std::uint32_t>(*layers);
    constexpr std::uint32_t kMostLayers = 1 << 14;
    if (layers_ > kMostLayers) {
      reader_.error(reader_.value_mark("num-layers"),
                    fmt::format("--num-layers {}: expected at most {}", layers_, kMostLayers));
      return {};
    }
    const auto vpp = read_chunks_a_stage();
    if (!vpp) return {};
    vpp_ = *vpp;
    if (vpp_ > 1) reader_.set("parallel.vpp", vpp_, schedule_mark_);
    const bool dual = pp_ > 1 && reader_.has("schedules-method");
    reader_.set("step.schedule",
                pp_ == 1 && vpp_ == 1 ? "none"
                : dual                ? "dualpipev"
                : vpp_ > 1            ? "interleaved"
                                      : "1f1b",
                schedule_mark_);
    if (reader_.flag("dualpipev-dw-detach"))
      reader_.set("step.split_weights", "true", reader_.mark("dualpipev-dw-detach"));
    const auto counts = positions_a_chunk();
    if (!counts) return {};
    return deal(*counts);
  }

  std::optional<std::int64_t> read_chunks_a_stage() {
    if (const auto method = reader_.text("schedules-method", "step.schedule")) {
      schedule_mark_ = reader_.value_mark("schedules-method");
      if (*method == "dualpipev") return pp_ > 1 ? 2 : 1;
      reader_.open("step.schedule",
                   fmt::format("--schedules-method {} is not known: --set step.schedule=NAME", *method),
                   schedule_mark_);
      return {};
    }
    if (reader_.has("num-virtual-stages-per-pipeline-rank")) {
      schedule_mark_ = reader_.value_mark("num-virtual-stages-per-pipeline-rank");
      return reader_.whole("num-virtual-stages-per-pipeline-rank", "parallel.vpp");
    }
    schedule_mark_ = reader_.value_mark("pipeline-model-parallel-size");
    constexpr const char* kEach = "num-layers-per-virtual-pipeline-stage";
    if (!reader_.has(kEach) || pp_ == 1) return 1;
    schedule_mark_ = reader_.value_mark(kEach);
    const auto each = reader_.whole(kEach, "parallel.vpp");
    if (each && layers_ % (*each * pp_) != 0) {
      reader_.error(schedule_mark_, fmt::format("--{} {}: {} layers on {} stages are no multiple of that",
                                                kEach, *each, layers_, pp_));
      return {};
    }
    return each ? std::optional<std::int64_t>(layers_ / (*each * pp_)) : std::nullopt;
  }

  // Returns how many positions each chunk has; nullopt after an error.
  std::optional<std::vector<std::int64_t>> positions_a_chunk() {
    const auto chunks = static_cast<std::size_t>(pp_ * vpp_);
    if (pp_ * vpp_ > layers_ + 2) {
      reader_.error(schedule_mark_,
                    fmt::format("{} layers for {} stages of {} chunks: expected at most one for each layer",
                                layers_, pp_, vpp_));
      return {};
    }
    if (const auto list = reader_.text("num-layer-list", "step.split")) {
      auto numbers = number_list('[' + *list + ']');
      if (numbers && numbers->size() == chunks &&
          std::accumulate(numbers->begin(), numbers->end(), std::int64_t{0}) == layers_ &&
          std::ranges::all_of(*numbers, [](std::int64_t n) { return n > 0; }))
        return numbers;
      reader_.error(reader_.value_mark("num-layer-list"),
                    fmt::format("--num-layer-list {}: expected {} numbers of layers that add up to {}", *list,
                                chunks, layers_));
      return {};
    }
    return even(chunks);
  }

  std::optional<std::vector<std::int64_t>> even(std::size_t chunks) {
    std::vector<std::int64_t> counts(chunks, 0);
    const bool embedding = reader_.flag("account-for-embedding-in-pipeline-split"),
               loss = reader_.flag("account-for-loss-in-pipeline-split");
    const auto first = reader_.whole("decoder-first-pipeline-num-layers", "step.split");
    const auto last = reader_.whole("decoder-last-pipeline-num-layers", "step.split");
    if ((first || last) && vpp_ > 1) {
      reader_.open(
          "step.split",
          "stages of several chunks whose first or last has layers of its own number: --set "
          "step.split=LAYOUT",
          reader_.mark(first ? "decoder-first-pipeline-num-layers" : "decoder-last-pipeline-num-layers"));
      return {};
    }
    const std::int64_t own = first.value_or(0) + last.value_or(0);
    const auto others = static_cast<std::int64_t>(chunks) - (first ? 1 : 0) - (last ? 1 : 0);
    const std::int64_t dealt = layers_ - own + (embedding ? 1 : 0) + (loss ? 1 : 0);
    if (others < 0 || dealt < 0 || (others == 0 ? dealt != 0 : dealt % others != 0)) {
      reader_.error(reader_.value_mark("num-layers"),
                    fmt::format("{} layers do not divide among {} chunks (stages times virtual stages): "
                                "expected a multiple, with "
                                "--noop-layers for those that stay empty",
                                layers_, chunks));
      return {};
    }
    for (std::size_t c = 0; c < chunks; ++c)
      counts[c] = first && c == 0 ? *first : last && c + 1 == chunks ? *last : dealt / others;
    counts.front() -= embedding ? 1 : 0;
    counts.back() -= loss ? 1 : 0;
    return counts;
  }

  std::set<std::uint32_t> empty_positions() {
    std::set<std::uint32_t> empty;
    const auto list = reader_.text("noop-layers", "model.layers");
    if (!list) return empty;
    const auto numbers = number_list('[' + *list + ']');
    if (!numbers || std::ranges::any_of(*numbers, [this](std::int64_t n) { return n < 0 || n >= layers_; }))
      reader_.error(
          reader_.value_mark("noop-layers"),
          fmt::format("--noop-layers {}: expected numbers of layers from 0 to {} with commas between them",
                      *list, layers_ - 1));
    else
      for (const std::int64_t n : *numbers) empty.insert(static_cast<std::uint32_t>(n));
    return empty;
  }

  ScriptChunks deal(const std::vector<std::int64_t>& counts) {
    const std::set<std::uint32_t> empty = empty_positions();
    const std::int64_t mtp = reader_
                                 .whole_or(reader_.has("mtp-num-layers") ? "mtp-num-layers" : "mtp-num-layer",
                                           "model.layers", 0, 0)
                                 .value_or(0);
    ScriptChunks chunks;
    std::string split = "E";
    std::uint32_t position = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      std::vector<std::uint32_t>& own = chunks.positions.emplace_back();
      for (std::int64_t n = 0; n < counts[c]; ++n, ++position)
        if (!empty.contains(position)) own.push_back(position);
      split += std::string(own.size(), 't') + (c + 1 < counts.size() ? "|" : "");
    }
    split += std::string(static_cast<std::size_t>(std::min<std::int64_t>(mtp, 1024)), 'm') + 'L';
    if (counts.size() > 1)
      reader_.set("step.split", split,
                  reader_.value_mark(reader_.has("num-layer-list") ? "num-layer-list"
                                     : reader_.has("noop-layers")  ? "noop-layers"
                                                                   : "num-layers"));
    return chunks;
  }

  LaunchReader& reader_;
  std::int64_t pp_ = 1, vpp_ = 1, layers_ = 0;
  Mark schedule_mark_;
};

}  // namespace

std::vector<std::uint32_t> ScriptChunks::all() const {
  std::vector<std::uint32_t> all;
  for (const auto& chunk : positions) all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

std::optional<ScriptChunks> read_megatron_layout(LaunchReader& reader) {
  if (reader.has("pipeline-model-parallel-layout"))
    reader.open("step.split",
                "--pipeline-model-parallel-layout is not followed: --set step.split=LAYOUT takes such a "
                "string (E embedding, t "
                "layer, m MTP, L head, | between chunks)",
                reader.value_mark("pipeline-model-parallel-layout"));
  return LayoutReader(reader).read();
}

}  // namespace a3sim

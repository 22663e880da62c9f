// Converts parts to bytes, and bytes to views.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "scheduler/ssc/ssc.h"
#include "scheduler/ssc/ssc_body.h"
#include "scheduler/ssc/ssc_generated.h"
#include "sim/core/checksum.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// The most bytes of a buffer: FlatBuffers has offsets of 31 bits.
constexpr std::uint64_t kMaxBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
// A schedule has one table per operator and tensor; a limit keeps a hostile file from being walked forever.
constexpr flatbuffers::uoffset_t kMaxTables = 1 << 20, kMaxDepth = 4;

// Returns an upper bound of the bytes of a schedule.
std::uint64_t upper_bound(const SscParts& p) {
  constexpr std::uint64_t kTableBytes = 128;
  std::uint64_t bytes = 1024 + p.graph.size() + p.order.size();
  for (const TensorInfo& t : p.tensors) bytes += kTableBytes + t.name.size();
  for (const OperatorInfo& o : p.operators) {
    bytes += kTableBytes + o.name.size() + o.type.size() + 4 * (o.inputs.size() + o.outputs.size());
  }
  bytes += p.tasks.size() * sizeof(TaskDescriptor) + p.regions.size() * sizeof(Region);
  bytes += p.events.size() * sizeof(EventDescriptor) + p.tilings.size() * sizeof(Tiling);
  bytes += p.worker_sets.size() * sizeof(WorkerSet);
  for (const WorkerKind& kind : p.kinds) bytes += kTableBytes + kind.name.size();
  for (const auto& queue : p.queues) bytes += 4 * queue.size();
  return bytes + 4 * (p.sent_capacity.size() + p.received_capacity.size());
}

using Builder = flatbuffers::FlatBufferBuilder;

template <class Theirs, class Ours>
auto structs(Builder& b, const std::vector<Ours>& items) {
  return b.CreateVectorOfStructs(reinterpret_cast<const Theirs*>(items.data()), items.size());
}

auto tensor_ids(Builder& b, const std::vector<TensorId>& ids) {
  std::vector<std::uint32_t> numbers;
  for (TensorId id : ids) numbers.push_back(index(id));
  return b.CreateVector(numbers);
}

auto tensor_tables(Builder& b, const std::vector<TensorInfo>& tensors) {
  std::vector<flatbuffers::Offset<fb::Tensor>> tables;
  for (const TensorInfo& t : tensors) {
    tables.push_back(fb::CreateTensor(b, b.CreateString(t.name), static_cast<std::uint8_t>(t.layout),
                                      static_cast<std::uint8_t>(t.dtype), t.rows, t.cols, t.external));
  }
  return b.CreateVector(tables);
}

auto operator_tables(Builder& b, const std::vector<OperatorInfo>& operators) {
  std::vector<flatbuffers::Offset<fb::Operator>> tables;
  for (const OperatorInfo& o : operators) {
    const auto name = b.CreateString(o.name), type = b.CreateString(o.type);
    const auto inputs = tensor_ids(b, o.inputs), outputs = tensor_ids(b, o.outputs);
    tables.push_back(fb::CreateOperator(b, name, type, o.stage, o.transposed, inputs, outputs));
  }
  return b.CreateVector(tables);
}

// Numbers of workers by queue, and queues, as the fields for AIC and AIV hold them.
using Numbers = flatbuffers::Offset<flatbuffers::Vector<std::uint32_t>>;

Numbers worker_counts(Builder& b, const WorkerKinds& kinds) {
  std::vector<std::uint32_t> counts;
  if (are_aic_and_aiv(kinds)) counts = {kinds[0].count, kinds[1].count};
  return b.CreateVector(counts);
}

Numbers queue_of_two(Builder& b, const SscParts& p, std::uint32_t queue) {
  return b.CreateVector(are_aic_and_aiv(p.kinds) ? p.queues[queue] : std::vector<std::uint32_t>{});
}

using Kinds = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Kind>>>;

Kinds kind_tables(Builder& b, const SscParts& p) {
  if (are_aic_and_aiv(p.kinds)) return {};
  std::vector<flatbuffers::Offset<fb::Kind>> tables;
  for (std::uint32_t q = 0; q < p.kinds.size(); ++q) {
    const WorkerKind& kind = p.kinds[q];
    const auto name = b.CreateString(kind.name);
    const auto queue = b.CreateVector(p.queues[q]);
    flatbuffers::Offset<flatbuffers::String> operators;
    if (!kind.operators.empty()) operators = b.CreateString(kind.operators);
    tables.push_back(fb::CreateKind(b, name, kind.count, kind.has(CoreUnit::kMatrix),
                                    kind.has(CoreUnit::kVector), queue, operators));
  }
  return b.CreateVector(tables);
}

std::vector<TensorId> tensor_ids(const flatbuffers::Vector<std::uint32_t>& numbers) {
  std::vector<TensorId> ids;
  for (std::uint32_t number : numbers) ids.push_back(TensorId{number});
  return ids;
}

template <class Ours, class Vector>
std::span<const Ours> view(const Vector* items) {
  return {reinterpret_cast<const Ours*>(items->Data()), items->size()};
}

// Reads the version before anything else: a newer format may have other structures.
std::optional<std::uint32_t> version_of(std::span<const std::uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  const flatbuffers::uoffset_t root = verifier.VerifyOffset(0);
  if (root == 0) return std::nullopt;
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(bytes.data() + root);
  if (!table->VerifyTableStart(verifier)) return std::nullopt;
  if (!table->VerifyField<std::uint32_t>(verifier, fb::Ssc::VT_VERSION, 4)) return std::nullopt;
  return table->GetField<std::uint32_t>(fb::Ssc::VT_VERSION, 0);
}

// The mark before the checksum, after the schedule's bytes in a file.
constexpr std::string_view kTrailerMark = "A3CK";
constexpr std::size_t kTrailerBytes = 4 + 8;  // mark and hexadecimal digits

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string trailer_of(std::string_view bytes) {
  return std::string(kTrailerMark) + checksum_text(checksum(bytes));
}

bool is_schedule_file(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kHeaderBytes = 8;  // root offset, identifier
  return bytes.size() >= kHeaderBytes && fb::SscBufferHasIdentifier(bytes.data());
}

void check_format(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (bytes.size() > kMaxBytes) throw InputError(name + ": too large for a schedule (2 GiB at most)");
  if (!is_schedule_file(bytes)) throw InputError(name + ": not a schedule (SSC) file");
  const auto version = version_of(bytes);
  if (version && *version > kSscVersion) {
    throw InputError(fmt::format("{}: schedule format {}, written by a newer a3sim; this one reads format {}",
                                 name, *version, kSscVersion));
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  if (!version || !fb::VerifySscBuffer(verifier))
    throw InputError(name + ": damaged or cut off schedule file");
  if (*version != kSscVersion) {
    throw InputError(
        fmt::format("{}: schedule format {}; this a3sim reads format {}", name, *version, kSscVersion));
  }
}

}  // namespace

std::shared_ptr<Ssc::Body> Ssc::encode(const SscParts& p) {
  if (p.queues.size() != p.kinds.size()) {
    throw InputError(fmt::format("schedule '{}' has {} queues and {} kinds of worker", p.graph,
                                 p.queues.size(), p.kinds.size()));
  }
  const std::uint64_t size = upper_bound(p);
  if (size > kMaxBytes)
    throw InputError(fmt::format("schedule '{}' needs {} bytes; 2 GiB at most", p.graph, size));
  Builder b(size);
  const auto sent = b.CreateVector(p.sent_capacity), received = b.CreateVector(p.received_capacity);
  const auto graph = b.CreateString(p.graph), order = b.CreateString(p.order);
  const auto workers = worker_counts(b, p.kinds);
  const auto tensors = tensor_tables(b, p.tensors);
  const auto operators = operator_tables(b, p.operators);
  const auto tilings = structs<fb::Tiling>(b, p.tilings);
  const auto tasks = structs<fb::Task>(b, p.tasks);
  const auto regions = structs<fb::Region>(b, p.regions);
  const auto events = structs<fb::Event>(b, p.events);
  const auto sets = structs<fb::WorkerSet>(b, p.worker_sets);
  const auto ctq = queue_of_two(b, p, kAicQueue), vtq = queue_of_two(b, p, kAivQueue);
  const auto kinds = kind_tables(b, p);
  const MoeShape& s = p.shape;
  b.Finish(fb::CreateSsc(b, kSscVersion, s.tokens, s.hidden, s.intermediate, s.top_k, s.experts_per_rank,
                         s.ep, static_cast<std::uint8_t>(s.dtype), index(p.rank), sent, received, graph,
                         order, static_cast<std::uint8_t>(p.assignment), workers, tensors, operators, tilings,
                         tasks, regions, events, sets, ctq, vtq, kinds),
           fb::SscIdentifier());
  const auto buffer = std::make_shared<const flatbuffers::DetachedBuffer>(b.Release());
  auto body = std::make_shared<Body>();
  body->bytes = {buffer->data(), buffer->size()};
  body->buffer = buffer;
  return body;
}

std::string Ssc::file_contents() const {
  const std::string_view content = text_of(bytes());
  return std::string(content) + trailer_of(content);
}

void Ssc::Body::take_checksum(const std::string& name) {
  if (!is_schedule_file(bytes)) throw InputError(name + ": not a schedule (SSC) file");
  const std::string_view all = text_of(bytes);
  const std::size_t size = all.size() - std::min(all.size(), kTrailerBytes);
  if (!all.substr(size).starts_with(kTrailerMark)) {
    throw InputError(
        name + ": has no checksum at its end: cut off, or written by an earlier a3sim; compile it again");
  }
  if (all.substr(size) != trailer_of(all.substr(0, size)))
    throw InputError(name + ": was altered: its checksum is that of other bytes; compile it again");
  bytes = bytes.first(size);
}

void Ssc::Body::decode(const std::string& name) {
  check_format(bytes, name);
  const fb::Ssc& root = *fb::GetSsc(bytes.data());
  shape = {root.tokens(),
           root.hidden(),
           root.intermediate(),
           root.top_k(),
           root.experts_per_rank(),
           root.ep(),
           static_cast<DataType>(root.dtype())};
  rank = RankId{root.rank()};
  graph = root.graph()->str();
  order = root.order()->str();
  assignment = static_cast<Assignment>(root.assignment());
  for (const fb::Tensor* t : *root.tensors()) {
    tensors.push_back({t->name()->str(), static_cast<Layout>(t->layout()), static_cast<DataType>(t->dtype()),
                       t->rows(), t->cols(), t->external()});
  }
  for (const fb::Operator* o : *root.operators()) {
    operators.push_back({o->name()->str(), o->type()->str(), o->stage(), o->transposed(),
                         tensor_ids(*o->inputs()), tensor_ids(*o->outputs())});
  }
  sent_capacity = view<std::uint32_t>(root.sent_capacity());
  received_capacity = view<std::uint32_t>(root.received_capacity());
  tilings = view<Tiling>(root.tilings());
  tasks = view<TaskDescriptor>(root.tasks());
  regions = view<Region>(root.regions());
  events = view<EventDescriptor>(root.events());
  worker_sets = view<WorkerSet>(root.worker_sets());
  root.kinds() == nullptr ? decode_aic_and_aiv(root, name) : decode_kinds(root, name);
}

void Ssc::Body::decode_aic_and_aiv(const fb::Ssc& root, const std::string& name) {
  if (root.workers()->size() != 2) throw InputError(name + ": workers of the CTQ and of the VTQ expected");
  kinds = aic_and_aiv(root.workers()->Get(0), root.workers()->Get(1));
  queues = {view<std::uint32_t>(root.ctq()), view<std::uint32_t>(root.vtq())};
}

// Kinds are written in one form only, so that equal schedules have equal bytes.
void Ssc::Body::decode_kinds(const fb::Ssc& root, const std::string& name) {
  for (const fb::Kind* kind : *root.kinds()) {
    kinds.add({kind->name()->str(),
               kind->workers(),
               {kind->matrix(), kind->vector()},
               kind->operators() == nullptr ? std::string() : kind->operators()->str()});
    queues.push_back(view<std::uint32_t>(kind->queue()));
  }
  if (root.workers()->size() + root.ctq()->size() + root.vtq()->size() > 0 || are_aic_and_aiv(kinds))
    throw InputError(name + ": kinds of worker beside those of the CTQ and of the VTQ");
}

}  // namespace a3sim

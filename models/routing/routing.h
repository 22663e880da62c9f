#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/shape.h"
#include "sim/core/enum_names.h"
#include "sim/core/registry.h"

namespace a3sim {

// The number of rows that each source rank sends to each global expert: a matrix [ep x experts], row-major.
class RoutingCounts {
 public:
  RoutingCounts() = default;
  RoutingCounts(std::uint32_t ranks, std::uint32_t experts)
      : ranks_(ranks), experts_(experts), rows_(std::size_t{ranks} * experts) {}

  std::uint32_t ranks() const { return ranks_; }
  std::uint32_t experts() const { return experts_; }
  std::uint32_t& at(std::uint32_t src, std::uint32_t gexpert) {
    return rows_[std::size_t{src} * experts_ + gexpert];
  }
  std::uint32_t at(std::uint32_t src, std::uint32_t gexpert) const {
    return rows_[std::size_t{src} * experts_ + gexpert];
  }
  std::span<const std::uint32_t> source(std::uint32_t src) const {
    return {rows_.data() + std::size_t{src} * experts_, experts_};
  }
  friend bool operator==(const RoutingCounts&, const RoutingCounts&) = default;

 private:
  std::uint32_t ranks_ = 0, experts_ = 0;
  std::vector<std::uint32_t> rows_;
};

// How the tokens of a log, which has no ranks, come to those of a group.
enum class DealBy : std::uint8_t {
  kTurn,     // one token to each rank in turn
  kBlocks,   // consecutive tokens to one rank, then to the next
  kRequests  // a request to one rank, that with the fewest tokens so far
};
constexpr auto names_of(DealBy) { return std::to_array<std::string_view>({"turn", "blocks", "requests"}); }

struct RoutingSpec {
  std::string kind = "balanced";  // name of a registered generator
  std::uint64_t seed = 0;         // sampled: seed of the draw
  double skew = 0;                // sampled: exponent of the experts' popularity (0: uniform)
  double busiest = 1.15;          // lognormal: median over draws of the busiest rank's rows, over the mean
  std::string file{};             // file: a CSV of counts, a line per source rank, a column per global expert
  // recorded: of a log of tokens or counts (models/traffic), the layer, and how its tokens come to the ranks.
  std::uint32_t layer = 0;
  DealBy deal = DealBy::kTurn;
  // If not null, the counts themselves, whatever the kind: for programs that have made them.
  std::shared_ptr<const RoutingCounts> known{};
  // For kinds that change from one micro-batch to the next.
  std::uint32_t micro_batch = 0;
  struct Drift {
    double sigma = 1;          // standard deviation of the logarithm of an expert's popularity
    double lasting = 0.5;      // share of its variance that is constant
    double correlation = 0.9;  // of the remaining part, between consecutive micro-batches
    // Sigma of a part that the experts of a rank share, which lasts and drifts in the same way.
    double common = 0;
  } drift{};
};

// A way to route tokens. Stateless: random draws depend on the spec only.
class RoutingGenerator {
 public:
  static constexpr std::string_view kKind = "routing";
  virtual ~RoutingGenerator() = default;

  // Returns the global experts of each token of a rank: shape.tokens x shape.top_k entries, all different
  // within a token; kNone if a token has fewer, as counts from a file may leave some out. Throws InputError
  // if the spec cannot be met.
  virtual std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                            std::uint32_t src) const = 0;

  // True if it reads RoutingSpec::file, which a configuration must then name.
  virtual bool reads_file() const { return false; }

  // True if its counts depend on RoutingSpec::seed; reports then state spread().
  virtual bool draws() const { return false; }

  // Returns the key and value of the spec that says how uneven draws are, for reports; an empty key: none.
  virtual std::pair<std::string_view, double> spread(const RoutingSpec& spec) const {
    return {"skew", spec.skew};
  }

  // True if its counts change with RoutingSpec::micro_batch.
  virtual bool drifts() const { return false; }

  // Returns the counts of all ranks, summed from assign(). Throws what assign() throws.
  virtual RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const;
};

// Returns the counts of a group in which rank r + kept sends what rank r sends, to experts `kept` ranks
// further. The first `kept` ranks send what they send in `counts`.
RoutingCounts turned(const RoutingCounts& counts, const MoeShape& shape, std::uint32_t kept);

// Returns experts for each token of a rank, so that expert e gets rows[e] tokens, and no token an expert twice: expert after
// expert is dealt to the tokens in turn. Needs at most tokens x top_k rows, and at most `tokens` to each expert.
std::vector<std::uint32_t> dealt_to_tokens(std::span<const std::uint32_t> rows, const MoeShape& shape);

// Throws InputError if a token cannot go to top_k different experts of the shape.
void check_top_k(const MoeShape& shape);

using Routings = Registry<RoutingGenerator>;

// Returns a spec whose counts are those of another draw of the same kind; draw 0 is the spec itself.
RoutingSpec another_draw(RoutingSpec spec, std::uint32_t draw);

// Returns the counts of `spec` for `shape`, or empty counts for a shape without experts. Throws InputError
// for an unknown kind or a spec that does not fit.
RoutingCounts route(const RoutingSpec& spec, const MoeShape& shape);

}  // namespace a3sim

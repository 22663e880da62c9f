#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/shape.h"
#include "sim/core/registry.h"

namespace a3sim {

// Rows that each source rank sends to each global expert: a matrix [ep x experts], row-major.
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

struct RoutingSpec {
  std::string kind = "balanced";  // a registered generator
  std::uint64_t seed = 0;         // sampled: seed of the draw
  double skew = 0;                // sampled: exponent of the experts' popularity (0: uniform)
  std::string file;               // file: a CSV of counts, a line a source rank, a column a global expert
  // Those that change from one micro-batch to the next.
  std::uint32_t micro_batch = 0;
  struct Drift {
    double sigma = 1;          // of the logarithm of an expert's popularity
    double lasting = 0.5;      // part of its variance that stays
    double correlation = 0.9;  // of the rest, from one micro-batch to the next
  } drift{};
};

// A way to route tokens. Stateless: everything that it draws follows from the spec.
class RoutingGenerator {
 public:
  static constexpr std::string_view kKind = "routing";
  virtual ~RoutingGenerator() = default;

  // The global experts of each token of one rank: shape.tokens x shape.top_k entries, all different within a
  // token; kNone where a token goes to fewer (counts from a file may leave some out).
  // Throws InputError where the spec cannot be met.
  virtual std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                            std::uint32_t src) const = 0;

  // Whether it takes its counts from RoutingSpec::file, which a configuration must then name.
  virtual bool reads_file() const { return false; }

  // Whether its counts follow from RoutingSpec::seed and skew, which reports then state.
  virtual bool draws() const { return false; }

  // Whether they change from one micro-batch to the next, as RoutingSpec::drift says.
  virtual bool drifts() const { return false; }

  // The counts of all ranks: the tally of assign(). Throws as it does.
  virtual RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const;
};

// The counts of a group in which rank r + kept sends what rank r does, to experts `kept` ranks further round; its
// first `kept` ranks send what they do in `counts`.
RoutingCounts turned(const RoutingCounts& counts, const MoeShape& shape, std::uint32_t kept);

// Throws InputError if a token cannot go to top_k different experts of the shape.
void check_top_k(const MoeShape& shape);

using Routings = Registry<RoutingGenerator>;

// The counts that `spec` means for `shape`; none for a shape without experts. Throws InputError for an
// unknown kind or a spec that does not fit.
RoutingCounts route(const RoutingSpec& spec, const MoeShape& shape);

}  // namespace a3sim

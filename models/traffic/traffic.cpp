#include "models/traffic/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_map>

#include "models/traffic/token_log.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 25;  // counts that are held: 128 MiB

// Reads a file for its tokens, or its counts.
LogMeta read_tokens(const std::filesystem::path& file, const std::function<void(const TokenRow&)>& take) {
  return read_log(file, {take, [](const CountRow&) {}});
}

// Keeps each so-many-th step, so that what is held stays within bounds.
class StepKeeper {
 public:
  StepKeeper(std::uint32_t ranks, std::uint32_t experts, std::size_t cells)
      : most_(std::max<std::size_t>(64, cells / (std::size_t{ranks} * experts))) {}
  void add(RoutingCounts step) {
    if (next_++ % to_.every != 0) return;
    to_.steps.push_back(std::move(step));
    if (to_.steps.size() < most_) return;
    for (std::size_t s = 0; 2 * s < to_.steps.size(); ++s) to_.steps[s] = std::move(to_.steps[2 * s]);
    to_.steps.resize((to_.steps.size() + 1) / 2);
    to_.every *= 2;
  }
  TrafficSteps& result() { return to_; }

 private:
  std::size_t most_;
  std::uint64_t next_ = 0;
  TrafficSteps to_;
};

// Cuts the tokens of a layer into steps.
class Dealer {
 public:
  Dealer(const Deal& deal, std::uint32_t experts, std::size_t cells)
      : deal_(deal), experts_(experts), keeper_(deal.ranks, experts, cells) {
    dealt_.assign(deal.ranks, 0);
  }

  void take(const TokenRow& row, std::uint64_t request) {
    const std::uint64_t step = std::uint64_t{deal_.ranks} * deal_.tokens;
    std::uint32_t rank = 0;
    std::uint64_t number = 0;  // of the step
    if (deal_.by == DealBy::kRequests) {
      const auto [found, is_new] = home_.try_emplace(request, 0);
      if (is_new)
        found->second = static_cast<std::uint32_t>(std::ranges::min_element(dealt_) - dealt_.begin());
      rank = found->second;
      number = dealt_[rank]++ / deal_.tokens;
    } else {
      const std::uint64_t place = tokens_ % step;
      rank =
          static_cast<std::uint32_t>(deal_.by == DealBy::kTurn ? place % deal_.ranks : place / deal_.tokens);
      number = tokens_ / step;
    }
    ++tokens_;
    while (first_ + open_.size() <= number) open_.push_back({RoutingCounts(deal_.ranks, experts_), 0});
    Open& open = open_[number - first_];
    for (const std::uint32_t expert : row.experts) ++open.counts.at(rank, expert);
    ++open.tokens;
    while (!open_.empty() && open_.front().tokens == step) {
      keeper_.add(std::move(open_.front().counts));
      open_.pop_front();
      ++first_;
    }
  }

  TrafficSteps finish() {
    for (const Open& open : open_) keeper_.result().unfinished += open.tokens;
    return std::move(keeper_.result());
  }

 private:
  struct Open {
    RoutingCounts counts;
    std::uint64_t tokens = 0;
  };
  Deal deal_;
  std::uint32_t experts_;
  StepKeeper keeper_;
  std::uint64_t tokens_ = 0, first_ = 0;
  std::deque<Open> open_;
  std::vector<std::uint64_t> dealt_;
  std::unordered_map<std::uint64_t, std::uint32_t> home_;
};

// Makes steps of counts that somebody else has counted.
class CountDealer {
 public:
  CountDealer(const Deal& deal, std::uint32_t experts, std::size_t cells)
      : deal_(deal), experts_(experts), cells_(cells) {}

  void take(const CountRow& row) {
    if (steps_.empty() || steps_.back().number != row.step) steps_.push_back({row.step, {}, {}});
    Step& step = steps_.back();
    std::vector<std::uint64_t>& rows = row.source ? step.by_source[*row.source] : step.rows;
    rows.resize(experts_);
    for (std::size_t e = 0; e < row.rows.size(); ++e) rows[e] += row.rows[e];
  }

  // Steps whose rows are below half of the middle one at the end of a log are windows that were not over.
  TrafficSteps finish() {
    StepKeeper keeper(deal_.ranks, experts_, cells_);
    std::vector<std::uint64_t> totals;
    for (const Step& step : steps_) totals.push_back(step.total());
    std::uint64_t unfinished = 0;
    if (totals.size() > 1) {
      std::vector<std::uint64_t> sorted = totals;
      std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
      if (2 * totals.back() < sorted[sorted.size() / 2]) {
        unfinished = 1;
        steps_.pop_back();
      }
    }
    for (const Step& step : steps_) keeper.add(counts_of(step));
    keeper.result().unfinished = unfinished;
    return std::move(keeper.result());
  }

 private:
  struct Step {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> rows;  // of all ranks together
    std::map<std::uint32_t, std::vector<std::uint64_t>> by_source;
    std::uint64_t total() const {
      std::uint64_t sum = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
      for (const auto& [source, own] : by_source) sum = std::accumulate(own.begin(), own.end(), sum);
      return sum;
    }
  };

  // Returns numbers in proportion to `rows` whose sum is `total`, none above `most`: the largest remainders are rounded up.
  static std::vector<std::uint64_t> scaled(const std::vector<std::uint64_t>& rows, std::uint64_t total,
                                           std::uint64_t most) {
    const std::uint64_t sum = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
    std::vector<std::uint64_t> numbers(rows.size(), 0);
    if (sum == 0) return numbers;
    std::vector<std::pair<std::uint64_t, std::size_t>> rest;
    std::uint64_t given = 0;
    using Wide = unsigned __int128;
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const Wide product = Wide{rows[e]} * total;
      numbers[e] = std::min(static_cast<std::uint64_t>(product / sum), most);
      given += numbers[e];
      if (rows[e] > 0) rest.emplace_back(static_cast<std::uint64_t>(product % sum), e);
    }
    std::ranges::stable_sort(rest, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; given < total && i < rest.size(); ++i) {
      if (numbers[rest[i].second] == most) continue;
      ++numbers[rest[i].second];
      ++given;
    }
    return numbers;
  }

  RoutingCounts counts_of(const Step& step) const {
    const std::uint64_t slots = std::uint64_t{deal_.tokens} * deal_.top_k;
    RoutingCounts counts(deal_.ranks, experts_);
    if (!step.by_source.empty()) {
      for (const auto& [source, rows] : step.by_source) {
        if (source >= deal_.ranks)
          throw InputError(
              fmt::format("counts of source {}, but the group has {} ranks", source, deal_.ranks));
        const std::uint64_t sum = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
        const std::vector<std::uint64_t> own = scaled(rows, std::min(sum, slots), deal_.tokens);
        for (std::uint32_t e = 0; e < experts_; ++e)
          counts.at(source, e) = static_cast<std::uint32_t>(own[e]);
      }
      return counts;
    }
    const std::uint64_t sum = std::accumulate(step.rows.begin(), step.rows.end(), std::uint64_t{0});
    const std::vector<std::uint64_t> all =
        scaled(step.rows, std::min(sum, slots * deal_.ranks), std::uint64_t{deal_.tokens} * deal_.ranks);
    std::uint32_t next = 0;  // rows go to the ranks in turn, so that all send as many
    for (std::uint32_t e = 0; e < experts_; ++e) {
      for (std::uint32_t r = 0; r < deal_.ranks; ++r)
        counts.at((next + r) % deal_.ranks, e) =
            static_cast<std::uint32_t>(all[e] / deal_.ranks + (r < all[e] % deal_.ranks ? 1 : 0));
      next = static_cast<std::uint32_t>((next + all[e]) % deal_.ranks);
    }
    return counts;
  }

  Deal deal_;
  std::uint32_t experts_;
  std::size_t cells_;
  std::deque<Step> steps_;
};

}  // namespace

std::vector<std::uint32_t> TrafficLog::layers_missing() const {
  std::vector<std::uint32_t> missing;
  if (layers.empty()) return missing;
  const std::uint32_t last = std::max(meta.layers, layers.rbegin()->first + 1);
  for (std::uint32_t layer = 0; layer < last; ++layer)
    if (!layers.contains(layer)) missing.push_back(layer);
  return missing;
}

TrafficLog read_traffic_log(const std::filesystem::path& file) {
  TrafficLog log;
  log.file = file.string();
  std::uint32_t experts = 0, top_k = 0;
  std::map<std::uint32_t, std::uint64_t> count_steps, last_step;
  const auto token = [&](const TokenRow& row) {
    log.none.add(row);
    for (const std::uint32_t expert : row.experts) experts = std::max(experts, expert + 1);
    top_k = std::max(top_k, static_cast<std::uint32_t>(row.experts.size()));
  };
  const auto counts = [&](const CountRow& row) {
    ++log.rows;
    const auto [last, is_new] = last_step.try_emplace(row.layer, row.step);
    if (is_new || last->second != row.step) ++count_steps[row.layer];
    last->second = row.step;
    experts = std::max(experts, static_cast<std::uint32_t>(row.rows.size()));
    log.counted = std::accumulate(row.rows.begin(), row.rows.end(), log.counted);
  };
  log.meta = read_log(file, {token, counts});
  log.none.finish();
  log.experts = std::max(experts, log.meta.experts);
  log.top_k = std::max(top_k, log.meta.top_k);
  log.tokens = log.none.rows() > 0;
  if (log.tokens && log.rows > 0)
    throw InputError(
        fmt::format("{}: has both tokens and counts by expert, expected one of the two", log.file));
  if (!log.tokens) {
    if (log.rows == 0) throw InputError(fmt::format("{}: no token and no count in it", log.file));
    log.layers = count_steps;
    return log;
  }
  log.rows = log.none.rows();
  TrafficRows rows(log.none, [&](const TokenRow& row, std::uint64_t) { ++log.layers[row.layer]; });
  read_tokens(file, [&](const TokenRow& row) { rows.add(row); });
  rows.finish();
  log.left_out = rows.left_out();
  return log;
}

std::map<std::uint32_t, TrafficSteps> deal_layers(const TrafficLog& log, const Deal& deal,
                                                  std::optional<std::uint32_t> only) {
  const std::uint32_t experts = std::max(deal.experts, log.experts);
  const std::size_t cells = kMostCells / (only ? 1 : log.layers.size());
  std::map<std::uint32_t, TrafficSteps> result;
  const auto read_with = [&](auto& dealers, const auto& read) {
    for (const auto& [layer, rows] : log.layers)
      if (!only || *only == layer) dealers.try_emplace(layer, deal, experts, cells);
    read();
    for (auto& [layer, dealer] : dealers) result.emplace(layer, dealer.finish());
  };
  if (log.tokens) {
    std::map<std::uint32_t, Dealer> dealers;
    read_with(dealers, [&] {
      TrafficRows rows(log.none, [&](const TokenRow& row, std::uint64_t request) {
        if (const auto dealer = dealers.find(row.layer); dealer != dealers.end())
          dealer->second.take(row, request);
      });
      read_tokens(log.file, [&](const TokenRow& row) { rows.add(row); });
      rows.finish();
    });
  } else {
    std::map<std::uint32_t, CountDealer> dealers;
    read_with(dealers, [&] {
      read_log(log.file, {[](const TokenRow&) {},
                          [&](const CountRow& row) {
                            if (const auto dealer = dealers.find(row.layer); dealer != dealers.end())
                              dealer->second.take(row);
                          }});
    });
  }
  return result;
}

TrafficSteps deal_traffic(const TrafficLog& log, std::uint32_t layer, const Deal& deal) {
  if (!log.layers.contains(layer)) {
    std::vector<std::uint32_t> layers;
    for (const auto& [number, rows] : log.layers) layers.push_back(number);
    throw InputError(
        fmt::format("{}: layer {} was not logged; it has {}", log.file, layer, fmt::join(layers, ", ")));
  }
  TrafficSteps result = std::move(deal_layers(log, deal, layer).at(layer));
  if (result.steps.empty())
    throw InputError(fmt::format(
        "{}: {} tokens of layer {}, but a step of {} ranks has {} each: take fewer tokens or ranks", log.file,
        log.layers.at(layer), layer, deal.ranks, deal.tokens));
  return result;
}

}  // namespace a3sim

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/traffic/log_row.h"

namespace a3sim {

// Rows of a log that no model was asked for, by why they are none.
struct NoTrafficRows {
  std::uint64_t dummy_rows = 0,
                dummy_runs = 0;    // long runs with one and the same routing: warm-up, dummy batches
  std::uint64_t padding_rows = 0;  // without an expert
  std::uint64_t repeated_rows = 0, repeated_requests = 0;  // requests that come again, routing by routing
  std::uint64_t rows() const { return dummy_rows + padding_rows + repeated_rows; }
  friend bool operator==(const NoTrafficRows&, const NoTrafficRows&) = default;
};

// Numbers the requests of a log. One whose places begin again at the start is another request of the same name: loggers
// that know no requests number the rows of each forward pass.
class RequestNumbers {
 public:
  std::uint64_t of(const TokenRow& row);
  std::uint64_t count() const { return next_; }

 private:
  struct Open {
    std::uint64_t number = 0;
    std::unordered_map<std::uint32_t, std::int64_t> last;  // by layer
  };
  std::unordered_map<std::uint64_t, Open> open_;  // by request
  std::uint64_t next_ = 0;
};

// The entries of a log that are no traffic, found in a first reading. Takes memory for its requests, and for runs of equal rows, not for rows.
//
// Runs of kLongRun equal rows or more are left out if traffic like the rest would hardly ever (1e-6 in the whole log) have one so
// long: by how often other rows are followed by one of this routing, which is how often it comes by itself, and by how often
// this routing's own shorter runs go on. So a hot expert of a model with few experts is traffic, however long its runs are.
class NoTraffic {
 public:
  static constexpr std::uint64_t kLongRun = 64;
  // Of a routing that has a long run, these are left out too: batches padded to a size.
  static constexpr std::uint64_t kPaddingRun = 8;
  // Requests with fewer rows may be equal by chance.
  static constexpr std::uint64_t kLongRequest = 16;

  NoTraffic() : runs_(kBuckets), short_rows_(kBuckets), short_runs_(kBuckets) {}
  void add(const TokenRow& row);
  void finish();

  bool is_dummy(std::uint64_t routing) const { return dummies_.contains(routing); }
  bool is_repeated(std::uint64_t request) const { return repeated_.contains(request); }
  std::uint64_t rows() const { return rows_; }
  // Returns a hash of a row's layer, experts and weights.
  static std::uint64_t routing_of(const TokenRow& row);

 private:
  static constexpr std::size_t kBuckets = std::size_t{1}
                                          << 20;  // of counts by routing; what shares one only adds to it
  struct Run {
    std::uint64_t routing = 0, length = 0;
  };
  struct LongRun {
    std::uint32_t layer = 0;
    Run run;
  };
  struct Request {
    std::uint64_t hash = 0, rows = 0, first = 0, before = 0;
    bool comes_again = false;  // its first row does
  };
  void end_run(std::uint32_t layer, const Run& run);
  void end_request(std::uint64_t number, const Request& request);
  bool is_beyond_chance(const LongRun& run) const;

  RequestNumbers numbers_;
  std::map<std::uint32_t, Run> open_runs_;             // by layer
  std::map<std::uint32_t, std::uint64_t> layer_rows_;  // by layer
  std::vector<std::uint32_t> runs_, short_rows_, short_runs_;
  std::vector<LongRun> long_runs_;
  std::unordered_map<std::uint64_t, std::uint64_t> in_long_runs_;  // rows, by routing
  std::unordered_set<std::uint64_t> dummies_, repeated_;
  struct Named {
    std::uint64_t number = 0;
    Request request;
  };
  std::unordered_map<std::uint64_t, Named> requests_;           // the open one, by its name
  std::unordered_multimap<std::uint64_t, std::uint64_t> seen_;  // by hash: the row before it
  std::uint64_t rows_ = 0, before_ = 0, first_weights_ = 0;
  bool weights_vary_ = false;
};

// Passes on the rows of a log that are traffic, in a second reading. Call finish() at the end.
class TrafficRows {
 public:
  // A row with the number of its request.
  using Take = std::function<void(const TokenRow&, std::uint64_t request)>;
  TrafficRows(const NoTraffic& none, Take take) : none_(none), take_(std::move(take)) {}
  void add(const TokenRow& row);
  void finish();
  const NoTrafficRows& left_out() const { return left_out_; }

 private:
  // Equal rows at the end of a layer's rows so far, which may be a run that is left out.
  struct Held {
    std::uint64_t routing = 0;
    TokenRow row;
    std::vector<std::uint64_t> requests;  // of the rows, until these are known to be left out
    std::uint64_t rows = 0;
  };
  void let_go(Held& held);

  const NoTraffic& none_;
  Take take_;
  RequestNumbers numbers_;
  std::map<std::uint32_t, Held> held_;
  std::unordered_set<std::uint64_t> repeated_;
  NoTrafficRows left_out_;
};

}  // namespace a3sim

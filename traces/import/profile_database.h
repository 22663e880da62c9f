#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "traces/import/ascend_reader.h"
#include "traces/import/kernel_rows.h"
#include "traces/import/trace_events.h"

// Profiles that were exported as SQLite: ascend_pytorch_profiler_{rank}.db and msprof_*.db hold what the tables and the time
// line hold, analysis.db what communication.json and step_trace_time.csv hold.
namespace a3sim {

// An exchange of the table COMMUNICATION_OP, which does not say how long its rank waited.
struct DatabaseExchange {
  std::optional<std::uint64_t> step;
  std::string name, group;
  Duration start{}, time{};
};

// Reads a profiler's database. Columns go by name, since they come and go. All functions throw InputError with the file's
// name if it is no database or is damaged.
class ProfileDatabase {
 public:
  // `origin` is the time, in whole microseconds, from which the profile's times count.
  ProfileDatabase(const std::filesystem::path& path, std::optional<std::int64_t>& origin);
  ~ProfileDatabase();

  // The kernels in the order of their starts, as KernelRows has them.
  bool next();
  const KernelRow& row() const { return row_; }
  const std::string& name() const { return name_; }
  std::size_t line() const { return line_; }  // of the kernel in its table
  KernelColumns columns() const;
  static std::size_t damaged() { return 0; }
  static std::string damage() { return {}; }

  void each_exchange(const std::function<void(const DatabaseExchange&)>& take);
  // Calls of CANN and operators of the framework on the host, with the names that a time line gives them.
  void each_call(const std::function<void(const TraceEvent&, Duration time)>& take);

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
  std::string name_;
  std::optional<std::int64_t>& origin_;
  KernelRow row_;
  std::size_t line_ = 0;
};

// Read analysis.db: the exchanges as read_communication() tells them, and the steps.
void read_analysed_exchanges(const std::filesystem::path& file, const ExchangeSink& to);
void read_analysed_steps(const std::filesystem::path& file, const std::function<void(const ToldStep&)>& take);

}  // namespace a3sim

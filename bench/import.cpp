#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "traces/import/profile.h"

// Measures how fast a profile is read, and in how much memory: a made kernel_details.csv of one gigabyte.
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSize = 1'000'000'000;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Writes lines like the profiler's, with tabs, quotes and N/A. Returns their number.
std::uint64_t write_profile(const fs::path& file) {
  std::ofstream out(file);
  out << "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),"
         "Duration(us),Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,"
         "Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us),"
         "aic_mac_time(us)\n";
  std::uint64_t lines = 0, bytes = 0;
  while (bytes < kSize) {
    const std::string line = fmt::format(
        "1,0,4294967295,{0},2,aclnnMatmul_{1}_MatMulV2,MatMulV2,dynamic,AI_CORE,\"{2}.912\t\",185.504,1.087,"
        "16,0,NO,"
        "\"\"\"81920,4096;8192,512\"\"\",DT_BF16;DT_BF16,ND;ND,\"\"\"81920,512\"\"\",DT_BF16,ND,N/"
        "A,183.87,151.425\n",
        lines, lines % 200, 1736413971558972 + 190 * lines);
    out << line;
    bytes += line.size();
    ++lines;
  }
  return lines;
}

}  // namespace

int main() {
  const fs::path file =
      fs::temp_directory_path() / fmt::format("a3sim_bench_{}", ::getpid()) / "kernel_details.csv";
  fs::create_directories(file.parent_path());
  const std::uint64_t lines = write_profile(file);
  const double before = peak_megabytes();
  const auto start = std::chrono::steady_clock::now();
  const a3sim::Profile read = a3sim::read_profile(file);
  const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print(
      "{:.1f} GB, {:.1f} M kernels of {} names in {:.1f} s: {:.0f} MB/s; peak memory {:.0f} MB, {:.0f} MB "
      "before\n",
      1e-9 * kSize, 1e-6 * static_cast<double>(lines), read.entries, time, 1e-6 * kSize / time,
      peak_megabytes(), before);
  fs::remove_all(file.parent_path());
}

#include <catch2/catch.hpp>
#include <cstring>

#include "sim/core/error.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/observe/full_csv.h"
#include "sim/diagnosis/observe/light_file.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kRanks = 3, kSteps = 40;

LightHeader header_of() {
  LightHeader header;
  header.ranks = kRanks;
  header.passes = header.groups = 1;
  header.steps = kSteps;
  return header;
}

std::vector<LightRecord> made_records() {
  std::vector<LightRecord> records;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      LightRecord& record = records.emplace_back();
      record.step = step;
      record.rank = rank;
      record.start = step * 100_us;
      record.arrival = record.start + (50 + rank) * 1_us;
      record.release = record.start + 100_us;
    }
  }
  return records;
}

std::string message_of(const std::filesystem::path& path) {
  try {
    LightFile(path).each_step([](std::uint32_t, std::span<const LightRecord>) {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a light record takes 96 bytes on disk") {
  const std::string bytes = light_file(made_records(), header_of());
  CHECK(bytes.size() == sizeof(LightHeader) + std::size_t{96} * kRanks * kSteps);
}

TEST_CASE("light records come back step by step, byte for byte") {
  const ScratchDirectory scratch;
  const std::vector<LightRecord> records = made_records();
  const LightFile file(scratch.add("light.bin", light_file(records, header_of())));
  std::size_t next = 0;
  std::uint32_t steps = 0;
  file.each_step([&](std::uint32_t step, std::span<const LightRecord> light_records) {
    CHECK(step == steps++);
    REQUIRE(light_records.size() == kRanks);
    CHECK(std::memcmp(light_records.data(), &records[next], light_records.size_bytes()) == 0);
    next += light_records.size();
  });
  CHECK(steps == kSteps);
}

TEST_CASE("a bit of a light file that is another one is found, wherever it lies") {
  const ScratchDirectory scratch;
  const std::string good = light_file(made_records(), header_of());
  for (std::size_t byte = 0; byte < good.size(); byte += 7) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    // A header may name more ranks, steps or groups than it has records of: then it does not fit its job.
    if (byte >= 16 && byte < 32) continue;
    CAPTURE(byte);
    CHECK(!message_of(scratch.add("light.bin", bad)).empty());
  }
}

TEST_CASE("a light file that is cut off, too long, or of another kind is refused by name") {
  const ScratchDirectory scratch;
  const std::string good = light_file(made_records(), header_of());
  for (const std::size_t length : {std::size_t{0}, std::size_t{10}, sizeof(LightHeader), good.size() - 1})
    CHECK_THAT(message_of(scratch.add("light.bin", good.substr(0, length))), Catch::Contains("light.bin: "));
  CHECK_THAT(message_of(scratch.add("light.bin", good + "x")), Catch::Contains("cut off or too long"));
  CHECK_THAT(message_of(scratch.add("light.bin", "PK" + good)),
             Catch::Contains("is no file of light records"));
  CHECK_THAT(
      message_of(scratch / "none.bin"),
      Catch::Contains("none.bin: cannot be read: there is no such file; 'a3sim run --steps' writes it"));
  std::string newer = good;
  newer[8] = 2;
  CHECK_THAT(message_of(scratch.add("light.bin", newer)), Catch::Contains("is of version 2"));
}

TEST_CASE("records that contradict themselves are refused with their number") {
  const ScratchDirectory scratch;
  const auto with = [&](auto change) {
    std::vector<LightRecord> records = made_records();
    change(records[7]);
    return message_of(scratch.add("light.bin", light_file(records, header_of())));
  };
  CHECK_THAT(with([](LightRecord& record) { record.rank = kRanks; }), Catch::Contains("record 7: of rank 3"));
  CHECK_THAT(with([](LightRecord& record) { record.step = kSteps; }),
             Catch::Contains("record 7: of step 40"));
  CHECK_THAT(with([](LightRecord& record) { record.arrival = record.release + 1_ps; }),
             Catch::Contains("contradict"));
  CHECK_THAT(with([](LightRecord& record) { record.whom = 99; }), Catch::Contains("waits for rank 99"));
  CHECK_THAT(with([](LightRecord& record) { record.step = 0; }), Catch::Contains("its step comes too late"));
}

JobFile made_job() {
  JobFile job;
  job.name = "made";
  job.ranks = kRanks;
  job.steps = kSteps;
  job.names = {"GMM1", "Dispatch"};
  job.passes = {"forward"};
  job.groups = {{0, 1, 2}};
  job.nodes = {0, 0, 1};
  job.machine = {24, 48, 1e14, 1e12, 1.5e12, 5e12, {{"hccs", 1e11, 1e10, 300_ns, 0.7}}};
  job.full = {{5, {0, 2}}};
  return job;
}

FullStep made_full() {
  FullStep full;
  full.step = 5;
  full.ranks = {0, 2};
  OperatorRecord op;
  op.step = 5;
  op.rank = 2;
  op.start = 7_us;
  op.end = 9_us;
  op.run = 30_us;
  op.operations = 1.25e9;
  full.operators = {op, op};
  full.operators[0].clock = 0.875F;
  TransferRecord put;
  put.step = 5;
  put.dst = 1;
  put.op = 1;
  put.end = 4_us;
  put.bytes = 8192;
  put.beside = 0.1F;
  full.transfers = {put};
  full.host = {{5, 2, HostKind::kCollect, 1_us, 3_us, 1}};
  return full;
}

void write_job(const ScratchDirectory& scratch, const JobFile& job, const FullStep& full) {
  scratch.add("job.json", job_json(job));
  scratch.add("light.bin", light_file(made_records(), header_of()));
  scratch.add("full/5/operators.csv", operators_csv(full, job.names, job.passes));
  scratch.add("full/5/transfers.csv", transfers_csv(full, job.names, job.passes, job.machine));
  scratch.add("full/5/host.csv", host_csv(full));
}

TEST_CASE("what is recorded in full comes back, and what was not seen stays unseen") {
  const ScratchDirectory scratch;
  write_job(scratch, made_job(), made_full());
  const FileObservation observed(scratch.path());
  const FullStep full = observed.full(5);
  CHECK(full.ranks == std::vector<std::uint32_t>{0, 2});
  REQUIRE(full.operators.size() == 2);
  CHECK(full.operators[0].clock == 0.875F);
  CHECK(full.operators[1].clock != full.operators[1].clock);  // not seen
  CHECK(full.operators[0].operations == 1.25e9);
  REQUIRE(full.transfers.size() == 1);
  CHECK(full.transfers[0].beside == 0.1F);
  CHECK(full.transfers[0].lost_sharing != full.transfers[0].lost_sharing);
  CHECK(observed.place_of(full.transfers[0]).text == "full/5/transfers.csv:2");
  CHECK(observed.place_of(full.host[0]).text == "full/5/host.csv:2");
  CHECK(observed.reference().empty());
  CHECK(observed.nodes() == std::vector<std::uint32_t>{0, 0, 1});
  CHECK_THROWS_AS(observed.full(6), InputError);
}

TEST_CASE("tables and descriptions that are damaged are refused with file and line") {
  const auto message = [](const std::string& file, const std::string& contents) -> std::string {
    const ScratchDirectory scratch;
    write_job(scratch, made_job(), made_full());
    scratch.add(file, contents);
    try {
      const FileObservation observed(scratch.path());
      observed.full(5);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string host = "rank,kind,start_ps,end_ps,count\n";
  CHECK(message("full/5/host.csv", host).empty());
  CHECK_THAT(message("full/5/host.csv", "x\n"), Catch::Contains("host.csv:1: expected the columns"));
  CHECK_THAT(message("full/5/host.csv", host + "0,gc,5,9,1"), Catch::Contains("host.csv:2: is cut off"));
  CHECK_THAT(message("full/5/host.csv", host + "9,gc,5,9,1\n"),
             Catch::Contains("host.csv:2: '9' is no number"));
  CHECK_THAT(message("full/5/host.csv", host + "0,gx,5,9,1\n"), Catch::Contains("nothing is called 'gx'"));
  CHECK_THAT(message("full/5/host.csv", host + "0,gc,9,5,1\n"), Catch::Contains("ends before it starts"));
  CHECK_THAT(message("full/5/host.csv", host + "0,gc,5,9\n"), Catch::Contains("too few cells"));
  CHECK_THAT(message("full/5/host.csv", host + "0,gc,5,9,1,2\n"), Catch::Contains("too many cells"));
  CHECK_THAT(message("full/5/operators.csv", ""), Catch::Contains("operators.csv:1: expected the columns"));
  CHECK_THAT(message("job.json", "{"), Catch::Contains("job.json:1:2: syntax error"));
  CHECK_THAT(message("job.json", "{}"), Catch::Contains("job.json: "));
  JobFile other = made_job();
  other.steps = kSteps + 1;
  CHECK_THAT(message("job.json", job_json(other)), Catch::Contains("light.bin: is of another job"));
  other = made_job();
  other.groups = {{7}};
  CHECK_THAT(message("job.json", job_json(other)), Catch::Contains("names rank 7"));
}

}  // namespace
}  // namespace a3sim

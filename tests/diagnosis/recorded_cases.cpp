#include "tests/diagnosis/recorded_case.h"

namespace a3sim {
namespace {

using Activity = RecordedCase::StepActivity;

Activity compute(const char* name, double from, double to, double cores) {
  return {.name = name, .from_ms = from, .to_ms = to, .cores = cores};
}
Activity exchange(const char* name, double from, double to, double bytes = 0, double uses = 0) {
  return {
      .lane = Lane::kCommunication, .name = name, .from_ms = from, .to_ms = to, .bytes = bytes, .uses = uses};
}
Activity host(HostKind kind, double from, double to, std::uint32_t count) {
  return {.lane = Lane::kHost, .kind = kind, .from_ms = from, .to_ms = to, .count = count};
}

constexpr double kVggBytes = 12.81e6, kVggUses = 0.53;

}  // namespace

const std::vector<RecordedCase>& recorded_cases() {
  static const std::vector<RecordedCase> kCases{
      // 5.2.3: throughput lies between 10 and 106 TFLOP/s, the mean is 85. With the lowest and the highest alone, 21.9 % of
      // the steps are 10.6 times as long. Some nodes wrote their logs to a remote disk. Two nodes stand for all.
      {.title = "18000 NPUs",
       .causes = {"host.environment"},
       .ranks = 16,
       .steps = 200,
       .step = {compute("Layers", 0, 1000, 0.9)},
       .delays = {{.share = 0.219,
                   .ranks = {8, 9, 10, 11, 12, 13, 14, 15},
                   .kind = HostKind::kLog,
                   .length_ms = 9600}},
       .by_throughput = true},
      // 5.1.2: 128 of 4989 steps are more than 10 % slow, the longest 3027.6 ms, the mean 444.40; in step 153 the host of rank
      // 3 alone takes 130.86 ms. All others are taken to be as long as the longest, so the usual step takes (4989 * 444.40 -
      // 127 * 3027.6 - 130.86) / 4862 = 376.897 ms. A step that is up to 10 % longer is not called slow: the foreign process
      // may take 1 - 1 / 1.1 of the usual ones unseen.
      {.title = "GPT-3, 8 NPUs",
       .causes = {"host.contention"},
       .ranks = 8,
       .steps = 4989,
       .step = {compute("Layers", 0, 376.897, 0.9)},
       .delays =
           {{.share = 0.025456, .ranks = {3}, .kind = HostKind::kLaunch, .length_ms = 2650.703, .count = 200},
            {.steps = {153}, .ranks = {3}, .kind = HostKind::kLaunch, .length_ms = 130.86, .count = 200}},
       .published = 444.40 / 374.88,
       .unseen = 0.0909},
      // Appendix D, figure 17: 890.92 ms per step, of which 38.149 hide communication. How the rest is divided was not published:
      // each token takes 6 * 13e9 / 8 operations, and 4 all-reduces of 40 layers of 5120 numbers; at 0.8 of 376 TFLOPS and 196
      // GB/s per rank 31.1 % of all, 288.8 ms, is communication.
      {.title = "GPT3-13B, TP8",
       .causes = {"parallel.overlap"},
       .ranks = 8,
       .step = {compute("Layers", 0, 640.27, 0.9), exchange("AllReduce", 602.121, 890.92)},
       .published = 890.92 / 860.46,
       .shards = 2},
      // 5.2.2: 762 operators are compiled in 57.862 of 73.24 ms; two of 18 syncs take 24.136 ms, while which the device works.
      // How far from the roofs it computes was not published: nothing is left of that.
      {.title = "MobileNetV1-SSD",
       .causes = {"host.compile", "host.sync", "compute.underused"},
       .step = {compute("First layers", 0, 12.068, 0.001), compute("Last layers", 61.172, 73.24, 0.001),
                host(HostKind::kSync, 0, 12.068, 9), host(HostKind::kCompile, 7.689, 65.551, 762),
                host(HostKind::kSync, 61.172, 73.24, 9)},
       .published = 73.24 / 64.87},
      // 5.2.2: on 8 NPUs all workers that process batches were tied to few cores. Nothing but that was published: the step of
      // one NPU waits for its batches as long as the thresholds of the vendor's tool ask for.
      {.title = "MobileNetV1-SSD, 8 NPUs",
       .causes = {"io.process"},
       .ranks = 8,
       .step = {compute("Layers", 10, 83.24, 0.9)},
       .queues = {0, 0, 100}},
      // 5.2.3, figure 15: throughput falls from 60 to 14.0 TFLOP/s again and again, on other ranks each time; the mean is
      // 53.33: 14.5 % of the steps take 60 / 14 times as long. Sixteen ranks stand for 9000.
      {.title = "MoE, 9000 NPUs",
       .causes = {"host.gc"},
       .ranks = 16,
       .steps = 200,
       .step = {compute("Layers", 0, 1000, 0.9)},
       .delays = {{.share = 0.145,
                   .ranks = {3, 9, 14, 1, 6, 11},
                   .rotates = true,
                   .kind = HostKind::kCollect,
                   .length_ms = 3285.714}},
       .by_throughput = true},
      // 5.2.1, figure 13 and appendix C: 98.01 s per step, 73.5 % of it computing: 61.48 % of the operators under-used, 34.02 %
      // limited by memory; 8.76 % of the step has both computing and communication. Nothing is left of the roofs here.
      // Operators that memory limits were replaced together with the under-used ones: they may have become as short.
      {.title = "PanGu 100B, 128 NPUs",
       .causes = {"compute.underused"},
       .ranks = 128,
       .step = {compute("Under-used", 0, 44288.7, 0.001),
                {.name = "Of memory", .from_ms = 44288.7, .to_ms = 68796.0, .memory = 0.9},
                compute("Of cores", 68796.0, 72037.4, 0.9),
                exchange("Exchange", 63451.7, 98010)},
       .published = 98.01 / 48.16,
       .unseen = 0.25},
      // 5.2.1, the same with other operators: 48.16 s per step, of which 2.66 % hide communication. That takes as long beside no
      // computing as before (26.5 % of 98.01 s). How large transfers were was not published: as those of VGG16.
      {.title = "PanGu 100B, then",
       .causes = {"parallel.overlap", "comm.small"},
       .ranks = 128,
       .step = {compute("Operators", 0, 22187.4, 0.9),
                exchange("Exchange", 20906.3, 48160, kVggBytes, kVggUses)}},
      // 5.1.1, figure 8(a): of 90 ms per step, 72.8 are waiting for data.
      {.title = "ResNet50",
       .causes = {"io.process"},
       .step = {compute("Layers", 72.8, 90, 0.9)},
       .queues = {0, 0, 100}},
      // 5.1.3 and table 5: transfers of 12.81 MB reach 0.53 of the port. 32 MB were called enough, and 0.8 of the port: behind
      // a startup of as long as 8 MB take they do. Neither of the two goes on for the last 0.177 ms.
      {.title = "VGG16, 8 NPUs",
       .causes = {"comm.small"},
       .ranks = 8,
       .step = {compute("Layers", 0, 54.555, 0.9), exchange("Gradients", 54.555, 76.315, kVggBytes, kVggUses),
                compute("Update", 76.491, 76.492, 0.9)}}};
  return kCases;
}

}  // namespace a3sim

#pragma once

#include "traces/rules/finding.h"
#include "traces/rules/rule_data.h"
#include "traces/rules/standing.h"

namespace a3sim {

// Why transfers are slower than the ports: rate / port = size * alignment * sharing * rest.
struct TransferParts {
  double port =
      1;  // of the ports' rate, while something is under way: the busier side of each rank, their mean
  double size =
      1;  // of the rate that large ones reach, by the machine's law: bytes / (startup * rate + bytes)
  double alignment = 1;  // of the rate that whole lines reach
  double sharing = 1;    // of the rate beside what cores limit, beside memory-bound work; 1: not seen
  double odd = 0;        // transfers of no whole lines
  double beside = 0;     // part of their time beside memory-bound work
  const TransferRecord *smallest = nullptr, *one_odd = nullptr, *one_beside = nullptr;

  // Whether ports have room, and this part is the least of the three.
  bool names(double part, double room) const {
    return port > 0 && port < room && part <= size && part <= alignment && part <= sharing;
  }
};
// `line`: bytes of a whole line.
TransferParts transfer_parts(const Standing& of, double line);

// A finding of all ranks: of the time in which a rank communicates and computes nothing, `part` is what would be left.
Finding finding_of_transfers(const Standing& of, double part);

inline constexpr double kLine = 512;  // bytes

}  // namespace a3sim

#include "sim/memory/l2/policy.h"

namespace a3sim {
namespace {

// Tensors are adjacent, each at a line boundary.
class LineL2 final : public L2 {
 public:
  LineL2(const L2Spec& spec, std::span<const L2Tensor> tensors, std::uint32_t ops)
      : L2(ops), lines_(Registry<L2Policy>::get(spec.policy).lines(spec)) {
    std::uint64_t next = 0;
    for (const L2Tensor& tensor : tensors) {
      places_.push_back({next, tensor.rows, tensor.row_bytes});
      const std::uint64_t bytes = std::uint64_t{tensor.rows} * tensor.row_bytes;
      next += (bytes + kL2Line - 1) / kL2Line * kL2Line;
    }
  }

  L2Traffic access(const L2Access& access) override {
    const Place& place = places_.at(index(access.tensor));
    check_inside(access, place.rows, place.row_bytes);
    L2Traffic traffic;
    const std::uint64_t begin = place.begin + std::uint64_t{access.rows.begin} * place.row_bytes;
    lines_->access(
        {begin + access.byte_begin, access.byte_end - access.byte_begin, access.rows.size(), place.row_bytes},
        access, traffic);
    count(access, traffic);
    return traffic;
  }

  std::uint64_t flush() override { return lines_->flush(); }

 private:
  struct Place {
    std::uint64_t begin;
    std::uint32_t rows, row_bytes;
  };

  std::unique_ptr<LineCache> lines_;
  std::vector<Place> places_;
};

}  // namespace

std::unique_ptr<L2> make_line_l2(const L2Spec& spec, std::span<const L2Tensor> tensors, std::uint32_t ops) {
  check(spec);
  return std::make_unique<LineL2>(spec, tensors, ops);
}

}  // namespace a3sim

#include "sim/memory/l2/piece_grid.h"

#include <stdexcept>

namespace a3sim {
namespace {

constexpr auto kSectorsShift = static_cast<std::uint32_t>(std::countr_zero(kSectors));

}  // namespace

PieceGrid::PieceGrid(const L2Tensor& tensor, First first)
    : first_(first),
      row_bytes_(tensor.row_bytes),
      cols_((tensor.row_bytes + kL2Line - 1) / kL2Line),
      height_shift_(static_cast<std::uint32_t>(std::countr_zero(tensor.piece_rows))),
      sector_shift_(height_shift_ - std::min(height_shift_, kSectorsShift)) {
  std::uint32_t begin = 0, band = 0;
  const auto add = [&](std::uint32_t end) {
    if (end < begin || end > tensor.rows) throw std::out_of_range("parts of a tensor in no order");
    parts_.push_back({begin, band});
    band += (end - begin + tensor.piece_rows - 1) >> height_shift_;
    begin = end;
  };
  for (std::size_t i = 1; i < tensor.parts.size(); ++i) {
    if (tensor.parts[i] > begin) add(tensor.parts[i]);
  }
  add(tensor.rows);
  parts_.push_back({begin, band});
}

PieceGrid::SectorSizes PieceGrid::sector_sizes(std::uint32_t band, std::uint32_t col) const {
  return sector_sizes_of(band, std::min(kL2Line, row_bytes_ - col * kL2Line));
}

PieceGrid::SectorSizes PieceGrid::sector_sizes(std::uint32_t band) const {
  return sector_sizes_of(band, row_bytes_);
}

PieceGrid::SectorSizes PieceGrid::sector_sizes_of(std::uint32_t band, std::uint64_t bytes) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end() - 1, band,
                                      [](std::uint32_t b, const Part& part) { return b < part.first_band; });
  const Part& part = after[-1];
  const std::uint32_t begin = part.begin + ((band - part.first_band) << height_shift_);
  const std::uint32_t rows = std::min(after->begin - begin, 1U << height_shift_);
  const std::uint32_t sector_rows = 1U << sector_shift_;
  const std::uint32_t count = (rows + sector_rows - 1) >> sector_shift_;
  return {bytes << sector_shift_, ((count << sector_shift_) - rows) * bytes,
          static_cast<std::uint8_t>(count - 1)};
}

}  // namespace a3sim

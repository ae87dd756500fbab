#include "page/pictures.hpp"

#include "page/device_pictures.hpp"

namespace clgemm::bench {

std::vector<Picture> pictures_of(const std::vector<Row>& rows) {
  const DeviceRows device = by_shape(rows);
  return {over_size(device), ladder(device), roofline(device), speed_up_over_peers(device),
          error_ratios(device)};
}

}  // namespace clgemm::bench

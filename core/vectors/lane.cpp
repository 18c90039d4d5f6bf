#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/vectors/lane.hpp>

namespace larmor {

void LaterReporter::tell(Reporter& reporter) const {
  for (const auto& [message, is_warning] : said_)
    is_warning ? reporter.warning(message) : reporter.note(message);
}

struct Lane::Stream {
  explicit Stream(const Device& on) : device(on) {
    if constexpr (cuda::built)
      if (device.on_gpu()) cuda::begin_lane(device.ordinal);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if constexpr (cuda::built)
      if (device.on_gpu()) cuda::end_lane();
  }
  Device device;
};

Lane::Lane(const Device& device, ContextOptions options)
    : stream_(std::make_unique<Stream>(device)),
      ctx_(std::make_unique<Context>(device, std::move(options))) {}

Lane::~Lane() {
  ctx_.reset();  // returns its memory on its own stream
}

}  // namespace larmor

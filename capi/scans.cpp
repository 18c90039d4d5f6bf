#include <larmor/capi/handles.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/options/named_options.hpp>
#include <larmor/options/report.hpp>
#include <larmor/options/stopwatch.hpp>

struct larmor_scan {
  larmor::Scan scan;
};

struct larmor_options {
  larmor::app::NamedOptions named;
  bool used = false;
};

struct larmor_images {
  larmor::Reconstruction result;
  std::string report;
};

using namespace larmor;
using capi::guarded;
using capi::require;

namespace {

template <typename T>
larmor_status set_array(larmor_options* options, const char* name, const larmor_shape* shape,
                        const T* values) {
  return guarded([&] {
    require(options, "options");
    require(name, "name");
    require(values, "values");
    options->named.set_array(name, View<const T>(values, capi::shape_of(shape, "shape")));
  });
}

}  // namespace

larmor_status larmor_scan_read(const char* path, const char* group, larmor_scan** scan) {
  return guarded([&] {
    require(path, "path");
    require(scan, "scan");
    *scan = new larmor_scan{read_ismrmrd(path, {.group = group == nullptr ? "" : group})};
  });
}

int64_t larmor_scan_readouts(const larmor_scan* scan) {
  return scan == nullptr ? 0 : static_cast<int64_t>(scan->scan.readouts.size());
}

void larmor_scan_destroy(larmor_scan* scan) {
  delete scan;
}

larmor_status larmor_options_create(larmor_options** options) {
  return guarded([&] {
    require(options, "options");
    *options = new larmor_options;
  });
}

larmor_status larmor_options_set(larmor_options* options, const char* name, const char* value) {
  return guarded([&] {
    require(options, "options");
    require(name, "name");
    require(value, "value");
    for (const char* machine : {"device", "threads", "memory", "deterministic"})
      if (std::strcmp(name, machine) == 0) throw usage_error("{} is an option of the context", name);
    options->named.set(name, value);
  });
}

larmor_status larmor_options_set_real(larmor_options* options, const char* name, const larmor_shape* shape,
                                      const double* values) {
  return set_array(options, name, shape, values);
}

larmor_status larmor_options_set_complex(larmor_options* options, const char* name, const larmor_shape* shape,
                                         const float* values) {
  return set_array(options, name, shape, reinterpret_cast<const std::complex<float>*>(values));
}

void larmor_options_destroy(larmor_options* options) {
  delete options;
}

larmor_status larmor_reconstruct(larmor_context* context, const larmor_scan* scan, larmor_options* options,
                                 larmor_progress_function progress, void* user, larmor_images** images) {
  return guarded([&] {
    require(context, "context");
    require(scan, "scan");
    require(images, "images");
    larmor_options plain;
    larmor_options& given = options == nullptr ? plain : *options;
    if (given.used) throw usage_error("these options were used by a reconstruction already: create new ones");
    given.used = true;
    capi::Machine& machine = *context->machine;
    auto result = std::make_unique<larmor_images>();
    app::RunFacts facts;
    facts.command.emplace_back("larmor_reconstruct");
    facts.command.insert(facts.command.end(), given.named.given().begin(), given.named.given().end());
    const app::Stopwatch total;
    machine.run([&](Context& ctx) {
      machine.reporter->function = progress;
      machine.reporter->user = user;
      try {
        result->result = given.named.reconstruct(scan->scan, ctx);
      } catch (...) {
        machine.reporter->function = nullptr;
        throw;
      }
      machine.reporter->function = nullptr;
      facts.device = ctx.device().to_string();
      facts.threads = ctx.threads();
    });
    facts.total_seconds = total.seconds();
    result->report = app::run_report(facts, result->result);
    *images = result.release();
  });
}

int64_t larmor_images_count(const larmor_images* images) {
  return images == nullptr ? 0 : static_cast<int64_t>(images->result.series.images.size());
}

larmor_status larmor_images_pixels(const larmor_images* images, int64_t index, larmor_shape* shape,
                                   const float** pixels) {
  return guarded([&] {
    require(images, "images");
    require(pixels, "pixels");
    if (index < 0 || index >= larmor_images_count(images))
      throw usage_error("there is no image {}; there are {}", index, larmor_images_count(images));
    const auto& image = images->result.series.images[static_cast<std::size_t>(index)].pixels;
    if (shape != nullptr) *shape = capi::shape_of(image.shape());
    *pixels = reinterpret_cast<const float*>(image.data());
  });
}

const char* larmor_images_report(const larmor_images* images) {
  return images == nullptr ? "" : images->report.c_str();
}

larmor_status larmor_images_write(const larmor_images* images, const char* path, int32_t overwrite) {
  return guarded([&] {
    require(images, "images");
    require(path, "path");
    write_images(path, images->result.series, {.overwrite = overwrite != 0});
  });
}

void larmor_images_destroy(larmor_images* images) {
  delete images;
}

#include <larmor/capi/handles.hpp>
#include <larmor/core/cuda/amid_others.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/options/errors.hpp>
#include <larmor/options/named_options.hpp>

#include <new>

namespace larmor::capi {
namespace {

thread_local std::string last_error;

larmor_status failed(larmor_status status, const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();  // no memory for the message either
  }
  return status;
}

larmor_status status_of(ErrorClass error_class) {
  return static_cast<larmor_status>(error_class);
}

}  // namespace

void CallbackReporter::progress(const std::string& stage, Index done, Index total,
                                const std::string& /*detail*/) {
  if (function != nullptr && function(user, stage.c_str(), done, total) != 0)
    throw Error(ErrorClass::cancelled, "the progress function asked to stop");
}

Machine::Machine(const larmor_context_options& options)
    : ctx(Device::parse(options.device == nullptr ? "cpu" : options.device),
          {.threads = options.threads,
           .deterministic = options.deterministic != 0,
           .memory_limit = options.memory_limit,
           .reporter = reporter}) {}

void Machine::run(const std::function<void(Context&)>& work) {
  const std::lock_guard lock(turn);
  // The scratch memory belongs to the enclosing call.
  if (busy)
    throw usage_error("a callback uses the context of the call that runs it; give it a context of its own");
  struct Busy {
    bool& flag;
    explicit Busy(bool& of) : flag(of) { flag = true; }
    ~Busy() { flag = false; }
  } const held(busy);
  const KeptDevice kept(ctx.device());
  work(ctx);
  ctx.synchronize();
}

larmor_status guarded(const std::function<void()>& work) noexcept {
  try {
    work();
    return LARMOR_OK;
  } catch (const Error& error) {
    try {
      return failed(status_of(error.error_class()), app::in_names(app::message_of(error)).c_str());
    } catch (...) {
      return failed(status_of(error.error_class()), error.what());
    }
  } catch (const std::bad_alloc&) {
    return failed(LARMOR_RESOURCE, "not enough memory");
  } catch (const std::exception& error) {
    return failed(LARMOR_INTERNAL, error.what());
  } catch (...) {
    return failed(LARMOR_INTERNAL, "an unknown exception");
  }
}

void require(const void* argument, const char* name) {
  if (argument == nullptr) throw usage_error("{} is NULL", name);
}

void check_struct_size(std::size_t size) {
  constexpr std::size_t largest = 1 << 16;
  if (size < sizeof size || size > largest)
    throw usage_error("struct_size of the options is {}; set it to the size of the struct", size);
}

Shape shape_of(const larmor_shape* shape, const char* name) {
  require(shape, name);
  if (shape->rank < 0 || shape->rank > LARMOR_MAX_RANK)
    throw usage_error("{} has {} axes, expected 0 to {}", name, shape->rank, LARMOR_MAX_RANK);
  int64_t elements = 1;
  for (int axis = 0; axis < shape->rank; ++axis) {
    if (shape->extents[axis] < 0) throw usage_error("{} has the extent {}", name, shape->extents[axis]);
    if (__builtin_mul_overflow(elements, std::max<int64_t>(1, shape->extents[axis]), &elements))
      throw usage_error("{} has more elements than can be counted", name);
  }
  return Shape(shape->extents, shape->rank);
}

larmor_shape shape_of(const Shape& shape) {
  larmor_shape result{};
  result.rank = shape.rank();
  std::copy(shape.begin(), shape.end(), result.extents);
  return result;
}

void check_precision(larmor_precision precision) {
  if (precision != LARMOR_SINGLE && precision != LARMOR_DOUBLE)
    throw usage_error("precision is {}, expected LARMOR_SINGLE or LARMOR_DOUBLE",
                      static_cast<int>(precision));
}

}  // namespace larmor::capi

using namespace larmor;
using capi::guarded;
using capi::require;

const char* larmor_version(void) {
  return version();
}

const char* larmor_last_error(void) {
  return capi::last_error.c_str();
}

larmor_status larmor_context_create(const larmor_context_options* options, larmor_context** context) {
  return guarded([&] {
    require(context, "context");
    *context = new larmor_context{std::make_shared<capi::Machine>(capi::options_of(options))};
  });
}

void larmor_context_destroy(larmor_context* context) {
  delete context;
}

larmor_status larmor_context_stream(larmor_context* context, void** stream) {
  return guarded([&] {
    require(context, "context");
    require(stream, "stream");
    *stream = context->machine->ctx.on_gpu() ? context->machine->ctx.stream() : nullptr;
  });
}

larmor_status larmor_context_synchronize(larmor_context* context) {
  return guarded([&] {
    require(context, "context");
    context->machine->ctx.synchronize();
  });
}

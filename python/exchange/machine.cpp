#include <larmor/core/format_error.hpp>
#include <larmor/python/exchange/machine.hpp>
#include <larmor/python/exchange/python_lock.hpp>

#include <pthread.h>

#include <condition_variable>
#include <optional>
#include <utility>

namespace larmor::python {
namespace {

// Interval at which the main thread checks for Ctrl-C.
constexpr std::chrono::milliseconds signal_interval{20};

std::atomic<unsigned> forks{0};
std::atomic<int> stopping{0};

bool on_main_thread() {
  const Locked lock;
  static const auto main_thread =
      nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  return PyThread_get_thread_ident() == main_thread;
}

// PyTorch's tensors by its own functions: __dlpack__() is written in Python and takes longer than the rest of
// a call.
class TorchTensors {
 public:
  /// Null: PyTorch is not imported, or this is not one of its tensors.
  static const TorchTensors* of(nb::handle array) {
    static const TorchTensors* torch = nullptr;
    if (torch == nullptr) {
      static const nb::object& name = *new nb::object(nb::str("torch"));
      const nb::object module = nb::steal(PyImport_GetModule(name.ptr()));
      if (!module.is_valid() || !nb::hasattr(module, "Tensor")) return nullptr;
      torch = new TorchTensors(module);
    }
    const int found = PyObject_IsInstance(array.ptr(), torch->type_.ptr());
    if (found < 0) throw nb::python_error();
    return found == 1 ? torch : nullptr;
  }
  nb::object exported(nb::handle tensor, const char* name) const {
    if (nb::cast<bool>(nb::object(tensor.attr("requires_grad"))))
      throw usage_error(
          "{} requires a gradient: call larmor.torch.Nufft, which PyTorch differentiates, or {}.detach()",
          name, name);
    if (nb::cast<bool>(tensor.attr("is_conj")()))
      throw usage_error("{} is a lazily conjugated view: copy it with {}.resolve_conj()", name, name);
    return export_(tensor);
  }
  cuda::Stream stream(int ordinal) const {
    return reinterpret_cast<cuda::Stream>(
        nb::cast<std::uintptr_t>(nb::object(current_stream_(ordinal).attr("cuda_stream"))));
  }

 private:
  explicit TorchTensors(const nb::object& module)
      : type_(module.attr("Tensor")),
        export_(nb::module_::import_("torch.utils.dlpack").attr("to_dlpack")),
        current_stream_(module.attr("cuda").attr("current_stream")) {}

  nb::object type_, export_, current_stream_;
};

}  // namespace

thread_local const nb::object* PythonReporter::callback = nullptr;

void PythonReporter::note(const std::string& message) {
  const Locked lock;
  const OutOfTurn others;
  nb::module_::import_("logging").attr("getLogger")("larmor").attr("info")("%s", message);
}

void PythonReporter::warning(const std::string& message) {
  const Locked lock;
  const OutOfTurn others;
  nb::module_::import_("warnings")
      .attr("warn")(message, nb::module_::import_("larmor.errors").attr("LarmorWarning"));
}

void PythonReporter::progress(const std::string& stage, Index done, Index total, const std::string& detail) {
  const Locked lock;
  if (callback == nullptr || callback->is_none()) return;
  const OutOfTurn others;
  (*callback)(stage, done, total, detail);
}

Machine::Machine(const std::string& device, ContextOptions options)
    : device_(Device::parse(device)),
      options_(std::move(options)),
      reporter_(std::make_shared<PythonReporter>()),
      state_(std::make_unique<State>()),
      forks_(forks) {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  const KeptDevice kept(device_);
  if (device_.on_gpu()) nb::module_::import_("larmor.cuda_libraries").attr("load")();
  options_.reporter = reporter_;
  options_.cancel = &cancel_;
  state_->idle.push_back(&state_->contexts.emplace_back(device_, options_));
}

int Machine::threads() {
  return state().contexts.front().threads();
}

Machine::State& Machine::state() {
  if (forks_ != forks) {
    if (device_.on_gpu())
      throw resource_error(
          "this object is on {} in the parent process; CUDA does not survive a fork: create it here, or "
          "start the process with multiprocessing's 'spawn'",
          device_.to_string());
    // Its threads no longer exist, and waiting for them would take forever.
    state_.release();  // NOLINT(bugprone-unused-return-value)
    state_ = std::make_unique<State>();
    state_->idle.push_back(&state_->contexts.emplace_back(device_, options_));
    forks_ = forks;
  }
  return *state_;
}

class Machine::Turn {
 public:
  // Called while this thread holds the lock, for example from Python's garbage collector, it continues
  // without waiting.
  explicit Turn(Machine& machine)
      : state_(machine.state()),
        kept_(machine.device_),
        before_(now),
        is_first_(before_ == nullptr || &before_->state_ != &state_) {
    if (is_first_) take();
    try {
      context_ = idle_context(machine);
    } catch (...) {
      if (is_first_) leave();
      throw;
    }
    now = this;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    now = before_;
    state_.idle.push_back(context_);
    if (is_first_) leave();
  }
  Context& context() { return *context_; }
  void take() {
    std::unique_lock lock(state_.mutex);
    state_.free.wait(lock, [&] { return !state_.taken; });
    state_.taken = true;
  }
  void leave() {
    {
      const std::lock_guard lock(state_.mutex);
      state_.taken = false;
    }
    state_.free.notify_one();
  }

  static thread_local Turn* now;  // this thread's; null: it has none

 private:
  Context* idle_context(Machine& machine) {
    if (!state_.idle.empty()) {
      Context* const found = state_.idle.back();
      state_.idle.pop_back();
      return found;
    }
    if (machine.device_.on_gpu()) return &state_.contexts.emplace_back(machine.device_, machine.options_);
    // The same threads, with separate scratch memory.
    return &state_.contexts.emplace_back(state_.contexts.front().host());
  }

  State& state_;
  KeptDevice kept_;
  Turn* before_;
  bool is_first_;
  Context* context_ = nullptr;
};

thread_local Machine::Turn* Machine::Turn::now = nullptr;

OutOfTurn::OutOfTurn() : turn_(std::exchange(Machine::Turn::now, nullptr)) {
  if (turn_ != nullptr) turn_->leave();
}

OutOfTurn::~OutOfTurn() {
  if (turn_ == nullptr) return;
  const Unlocked unlocked;  // the thread that holds the lock may wait for Python's lock
  turn_->take();
  Machine::Turn::now = turn_;
}

void Machine::run(const std::function<void(Context&)>& work) {
  const Unlocked unlocked;
  Turn turn(*this);
  work(turn.context());
}

void Machine::run_interruptibly(const std::function<void(Context&)>& work) {
  // Threads other than Python's main one receive no signals.
  if (!on_main_thread()) return run(work);
  const Unlocked unlocked;
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::thread worker([&] {
    try {
      Turn turn(*this);
      work(turn.context());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    finished.notify_one();
  });
  std::optional<nb::python_error> signal;
  for (std::unique_lock lock(mutex); !finished.wait_for(lock, signal_interval, [&] { return done; });) {
    lock.unlock();
    if (!signal) {
      const Locked python;
      if (PyErr_CheckSignals() != 0) {
        signal.emplace();
        cancel_ = true;
        ++stopping;
      }
    }
    lock.lock();
  }
  worker.join();
  cancel_ = false;
  if (signal) --stopping;
  if (signal) throw nb::python_error(*signal);
  if (failure) std::rethrow_exception(failure);
}

AnyArray Machine::import(nb::handle array, const char* name, bool writable) {
  nb::object source = nb::borrow(array);
  const TorchTensors* torch = device_.on_gpu() ? TorchTensors::of(array) : nullptr;
  if (torch != nullptr) {
    const KeptDevice kept(device_);
    const cuda::Stream own = state().contexts.front().stream();
    source = torch->exported(array, name);
    if constexpr (cuda::built) cuda::wait_for(own, torch->stream(device_.ordinal));
  } else if (device_.on_gpu() && nb::hasattr(array, "__dlpack_device__")) {
    // The producer is asked to make our stream wait for its pending work.
    const KeptDevice kept(device_);
    const nb::object place = array.attr("__dlpack_device__")();
    if (nb::cast<int>(nb::object(place[0])) == nb::device::cuda::value) {
      const auto stream = reinterpret_cast<std::uintptr_t>(state().contexts.front().stream());
      source = array.attr("__dlpack__")(nb::arg("stream") = stream);
    }
  }
  AnyArray imported = array_of(source, name, writable);
  const Device found = device_of(imported, name);
  if (!(found == device_))
    throw usage_error(
        "{} is on {}, but the operator works on {}: move it there, or make the operator with device=\"{}\"",
        name, found.to_string(), device_.to_string(), found.to_string());
  return imported;
}

}  // namespace larmor::python

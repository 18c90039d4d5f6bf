#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/operators/ranks.hpp>
#include <larmor/python/exchange/machine.hpp>
#include <larmor/python/exchange/python_lock.hpp>
#include <larmor/python/operators/operators.hpp>
#include <larmor/python/ranks.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cstdio>

namespace larmor::python {
namespace {

/// The ranks of an mpi4py communicator, independent of its MPI library.
class RanksOfMpi4py final : public Communicator {
 public:
  RanksOfMpi4py(nb::object communicator, int rank, int size)
      : Communicator(rank, size),
        communicator_(std::move(communicator)),
        mpi_(nb::module_::import_("mpi4py.MPI")) {}
  RanksOfMpi4py(const RanksOfMpi4py&) = delete;
  RanksOfMpi4py& operator=(const RanksOfMpi4py&) = delete;
  ~RanksOfMpi4py() override {
    const Locked lock;
    communicator_.reset();
    mpi_.reset();
  }
  std::string name() const override { return "mpi4py"; }
  void abort(int status, const std::string& message) noexcept override {
    // MPI ends this process too.
    std::fprintf(stderr, "rank %d: %s\n", rank(), message.c_str());
    const Locked lock;
    try {
      communicator_.attr("Abort")(status);
    } catch (const nb::python_error&) {  // MPI has ended already
    }
  }

 protected:
  void reduce_on_host(const Values& values) override {
    const bool single = values.element == Element::single;
    const Locked lock;
    in_pieces(values.data, values.count, single ? sizeof(float) : sizeof(double),
              [&](const nb::object& part) {
                communicator_.attr("Allreduce")(mpi_.attr("IN_PLACE"),
                                                nb::make_tuple(part, mpi_.attr(single ? "FLOAT" : "DOUBLE")),
                                                mpi_.attr(values.how == Reduction::sum ? "SUM" : "MAX"));
              });
  }
  void broadcast_on_host(void* bytes, std::size_t size, int root) override {
    const Locked lock;
    in_pieces(bytes, static_cast<Index>(size), 1, [&](const nb::object& part) {
      communicator_.attr("Bcast")(nb::make_tuple(part, mpi_.attr("BYTE")), root);
    });
  }

 private:
  // MPI counts in int.
  template <typename Part>
  static void in_pieces(void* values, Index count, std::size_t bytes_of_one, const Part& part) {
    constexpr Index piece = Index{1} << 24;
    for (Index begin = 0; begin < count; begin += piece)
      part(nb::steal(PyMemoryView_FromMemory(
          static_cast<char*>(values) + static_cast<std::size_t>(begin) * bytes_of_one,
          std::min(piece, count - begin) * static_cast<Py_ssize_t>(bytes_of_one), PyBUF_WRITE)));
  }

  nb::object communicator_, mpi_;
};

RanksHandle ranks_of_mpi4py(const nb::object& communicator) {
  const int rank = nb::cast<int>(communicator.attr("Get_rank")()),
            size = nb::cast<int>(communicator.attr("Get_size")());
  RanksHandle handle{std::make_shared<RanksOfMpi4py>(communicator, rank, size)};
  const nb::object shared = nb::module_::import_("mpi4py.MPI").attr("COMM_TYPE_SHARED");
  const nb::object here = communicator.attr("Split_type")(shared);
  handle.local_rank = nb::cast<int>(here.attr("Get_rank")());
  handle.on_this_machine = nb::cast<int>(here.attr("Get_size")());
  here.attr("Free")();
  return handle;
}

/// work(ranks, view of numbers that are exchanged in place).
template <typename Work>
void with_array(const RanksHandle& ranks, const std::shared_ptr<Machine>& machine, nb::handle array,
                const Work& work) {
  AnyArray keep;
  const auto as = [&]<typename T>(T) {
    const View<T> view = machine->output<T>(array, "array", keep);
    machine->run([&](Context& ctx) {
      ctx.synchronize();
      work(*ranks.on(ctx.device()), view);
      ctx.synchronize();
    });
  };
  const nb::dlpack::dtype type = array_of(array, "array", true).dtype();
  if (type == nb::dtype<float>()) return as(float());
  if (type == nb::dtype<double>()) return as(double());
  if (type == nb::dtype<std::complex<float>>()) return as(std::complex<float>());
  if (type == nb::dtype<std::complex<double>>()) return as(std::complex<double>());
  throw usage_error("array is {}, expected float32, float64, complex64 or complex128", dtype_name(type));
}

void all_reduce(const RanksHandle& ranks, const std::shared_ptr<Machine>& machine, nb::handle array,
                bool maximum) {
  with_array(ranks, machine, array, [&]<typename T>(Communicator& all, View<T> view) {
    constexpr bool real = std::is_floating_point_v<T>;
    if (maximum && !real) throw usage_error("complex numbers have no maximum");
    all.all_reduce(view, maximum ? Reduction::maximum : Reduction::sum);
  });
}

void broadcast(const RanksHandle& ranks, const std::shared_ptr<Machine>& machine, nb::handle array,
               int root) {
  if (root < 0 || root >= ranks.communicator->size())
    throw usage_error("root is {}, expected 0 to {}", root, ranks.communicator->size() - 1);
  with_array(ranks, machine, array, [&](Communicator& all, auto view) { all.broadcast(view, root); });
}

template <template <typename> class Joined>
OperatorHandle joined(const RanksHandle& ranks, const OperatorHandle& own) {
  OperatorHandle result{own.machine, {}};
  std::shared_ptr<Communicator> all;
  own.machine->run([&](Context& ctx) { all = ranks.on(ctx.device()); });
  by_precision(own.is_double(), [&](auto precision) {
    using T = decltype(precision);
    result.op = Operator<T>(Joined<T>(operator_of<T>(own), all));
  });
  return result;
}

}  // namespace

std::shared_ptr<Communicator> RanksHandle::on(const Device& device) const {
  if (!device.on_gpu()) return communicator;
  auto& known = (*of_devices)[device.ordinal];
  if (!known) known = with_nccl(communicator, device);
  return known;
}

void define_ranks(nb::module_& module) {
  nb::class_<RanksHandle>(module, "Ranks")
      .def_prop_ro("rank", [](const RanksHandle& ranks) { return ranks.communicator->rank(); })
      .def_prop_ro("size", [](const RanksHandle& ranks) { return ranks.communicator->size(); })
      .def_prop_ro("name", [](const RanksHandle& ranks) { return ranks.communicator->name(); })
      .def_ro("local_rank", &RanksHandle::local_rank)
      .def_ro("on_this_machine", &RanksHandle::on_this_machine)
      .def("share",
           [](const RanksHandle& ranks, Index count) {
             const Share own = share_of(count, *ranks.communicator);
             return nb::make_tuple(own.first, own.first + own.count);
           })
      .def("barrier",
           [](const RanksHandle& ranks) {
             const Unlocked unlocked;
             ranks.communicator->barrier();
           })
      .def("abort",
           [](const RanksHandle& ranks, const std::string& message) {
             const Unlocked unlocked;
             ranks.communicator->abort(static_cast<int>(ErrorClass::internal), message);
           })
      .def("all_reduce", &all_reduce)
      .def("broadcast", &broadcast)
      .def("rows", &joined<RowsOfRank>)
      .def("sum", &joined<SumOverRanks>);
  module.def("ranks_of_mpi4py", &ranks_of_mpi4py);
}

}  // namespace larmor::python

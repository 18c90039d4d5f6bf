#include <larmor/core/device.hpp>
#include <larmor/core/version.hpp>
#include <larmor/python/exchange/errors.hpp>
#include <larmor/python/exchange/machine.hpp>
#include <larmor/python/operators/operators.hpp>
#include <larmor/python/operators/own_operator.hpp>
#include <larmor/python/operators/transforms.hpp>
#include <larmor/python/ranks.hpp>
#include <larmor/python/scans.hpp>
#include <larmor/python/solvers.hpp>

#include <nanobind/stl/shared_ptr.h>

namespace larmor::python {
namespace {

void define_machine(nb::module_& module) {
  nb::class_<Machine>(
      module, "Context",
      "The device of computations ('cpu', 'cuda' or 'cuda:1'), its CPU threads (0: all), whether results are "
      "bit-identical in every run, and the most memory that they may take, in bytes (0: what is available). "
      "A "
      "context serves one thread at a time.")
      .def(
          "__init__",
          [](Machine* self, const std::string& device, int threads, bool deterministic,
             std::size_t memory_limit) {
            new (self) Machine(
                device, {.threads = threads, .deterministic = deterministic, .memory_limit = memory_limit});
          },
          nb::arg("device") = "cpu", nb::arg("threads") = 0, nb::arg("deterministic") = false,
          nb::arg("memory_limit") = 0)
      .def_prop_ro("device", [](const Machine& machine) { return machine.device().to_string(); })
      .def_prop_ro("threads", &Machine::threads)
      .def("__repr__", [](Machine& machine) {
        return "larmor.Context(device='" + machine.device().to_string() +
               "', threads=" + std::to_string(machine.threads()) + ")";
      });
  module.def("cuda_device_count", &cuda_device_count);
}

}  // namespace
}  // namespace larmor::python

NB_MODULE(_larmor, module) {
  using namespace larmor::python;
  module.attr("version") = larmor::version();
  // Python does not promise to free the contents of modules at exit; this is not a leak of Larmor.
  nb::set_leak_warnings(false);
  register_errors();
  define_machine(module);
  define_operators(module);
  define_own_operator(module);
  define_solvers(module);
  define_transforms(module);
  define_ranks(module);
  define_scans(module);
}

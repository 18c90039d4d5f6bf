#include "gateway.hpp"

#include <larmor.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

namespace larmor_gateway {
namespace {

using Dims = std::vector<std::int64_t>;

/// Throws the library's message if a call failed.
void must(larmor_status status) {
  if (status != LARMOR_OK) throw std::runtime_error(larmor_last_error());
}

[[noreturn]] void fail(const std::string& message) {
  throw std::runtime_error(message);
}

struct DestroyOperator {
  void operator()(larmor_operator* op) const { larmor_operator_destroy(op); }
};
struct Object {
  std::unique_ptr<larmor_operator, DestroyOperator> op;
  larmor_precision precision;
};

std::map<std::int64_t, Object> objects;
std::int64_t last_id = 0;

/// The context of all objects, made on first use.
larmor_context* context() {
  static larmor_context* made = nullptr;
  if (made == nullptr) must(larmor_context_create(nullptr, &made));
  return made;
}

std::string dims_text(const Dims& dims) {
  std::string text;
  for (const std::int64_t extent : dims) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

/// Extents in column-major order, the reverse of the library's.
larmor_shape shape_of(const Dims& dims) {
  if (dims.size() > LARMOR_MAX_RANK) fail("an array has more than 8 dimensions");
  larmor_shape shape{};
  shape.rank = static_cast<std::int32_t>(dims.size());
  std::copy(dims.rbegin(), dims.rend(), shape.extents);
  return shape;
}
Dims dims_of(const larmor_shape& shape) {
  Dims dims(shape.extents, shape.extents + shape.rank);
  std::reverse(dims.begin(), dims.end());
  return dims;
}
std::int64_t product(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  return count;
}

/// Reads arguments one after another.
class Arguments {
 public:
  explicit Arguments(const std::vector<Value>& values) : values_(values) {}
  const Value& next(const char* name) {
    if (at_ == values_.size()) fail(std::string(name) + " is missing");
    return values_[at_++];
  }
  bool more() const { return at_ < values_.size(); }
  std::string text(const char* name) {
    const Value& value = next(name);
    if (value.kind != Value::Kind::text) fail(std::string(name) + " is not a text");
    return value.text;
  }
  double number(const char* name) {
    const Value& value = next(name);
    if (value.kind != Value::Kind::real_double || value.count() != 1)
      fail(std::string(name) + " is not a real number of class double");
    return *static_cast<const double*>(value.data);
  }
  std::int64_t whole(const char* name) { return whole(number(name), name); }
  Dims extents(const char* name) {
    const Value& value = next(name);
    if (value.kind != Value::Kind::real_double) fail(std::string(name) + " is not a vector of class double");
    const auto* numbers = static_cast<const double*>(value.data);
    Dims dims;
    for (std::int64_t i = 0; i < value.count(); ++i) dims.push_back(whole(numbers[i], name));
    return dims;
  }
  Object& object(const char* name) {
    const auto found = objects.find(whole(name));
    if (found == objects.end()) fail(std::string(name) + " is not an object, or was deleted");
    return found->second;
  }

 private:
  static std::int64_t whole(double number, const char* name) {
    constexpr double most = 2147483647;
    if (!(std::abs(number) <= most) || number != std::round(number))
      fail(std::string(name) + " is or holds a number that is not whole, or too large");
    return static_cast<std::int64_t>(number);
  }

  const std::vector<Value>& values_;
  std::size_t at_ = 1;
};

void give_number(double number, Host& host) {
  *static_cast<double*>(host.array(Value::Kind::real_double, {1, 1})) = number;
}

void give(larmor_operator* op, larmor_precision precision, Host& host) {
  objects[++last_id] = Object{std::unique_ptr<larmor_operator, DestroyOperator>(op), precision};
  give_number(static_cast<double>(last_id), host);
}

larmor_precision precision_of(const std::string& name) {
  if (name == "single") return LARMOR_SINGLE;
  if (name == "double") return LARMOR_DOUBLE;
  fail("precision is '" + name + "', expected 'single' or 'double'");
}

Value::Kind kind_of(larmor_precision precision) {
  return precision == LARMOR_DOUBLE ? Value::Kind::complex_double : Value::Kind::complex_single;
}

/// A trajectory d x N or N x d as N rows of d numbers. `copy` holds it if it must be transposed.
const double* trajectory_rows(const Value& value, std::int64_t dims, std::int64_t& samples,
                              std::vector<double>& copy) {
  if (value.kind != Value::Kind::real_double || value.dims.size() != 2)
    fail("the trajectory is not a real matrix of class double");
  const std::int64_t rows = value.dims[0], columns = value.dims[1];
  const auto* numbers = static_cast<const double*>(value.data);
  if (rows == dims && columns == dims && dims > 1)
    fail("a trajectory of " + dims_text(value.dims) + " may be d x N or N x d: give one sample more or less");
  if (rows == dims) {
    samples = columns;
    return numbers;
  }
  if (columns != dims)
    fail("the trajectory is " + dims_text(value.dims) + ", expected " + std::to_string(dims) +
         " x N or N x " + std::to_string(dims) + " for an image of " + std::to_string(dims) + " dimensions");
  samples = rows;
  copy.resize(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < rows; ++j)
    for (std::int64_t d = 0; d < dims; ++d) copy[j * dims + d] = numbers[d * rows + j];
  return copy.data();
}

void make_nufft(Arguments& arguments, Host& host) {
  const Value& trajectory = arguments.next("the trajectory");
  const Dims image = arguments.extents("the image size");
  larmor_nufft_options options{};
  options.struct_size = sizeof options;
  options.coils = arguments.whole("the number of coils");
  options.tolerance = arguments.number("the tolerance");
  const larmor_precision precision = precision_of(arguments.text("the precision"));
  std::int64_t samples = 0;
  std::vector<double> copy;
  const double* rows = trajectory_rows(trajectory, static_cast<std::int64_t>(image.size()), samples, copy);
  const larmor_shape shape = shape_of(image);
  larmor_operator* op = nullptr;
  must(larmor_nufft_create(context(), precision, &shape, samples, rows, &options, &op));
  give(op, precision, host);
}

void make_maps(Arguments& arguments, Host& host) {
  const Value& maps = arguments.next("the maps");
  const Dims dims = arguments.extents("the size of the maps");
  if (maps.kind != Value::Kind::complex_single && maps.kind != Value::Kind::complex_double)
    fail("the maps are not complex: write complex(maps)");
  if (product(dims) != maps.count()) fail("the maps do not have the given size");
  const larmor_precision precision = maps.kind == Value::Kind::complex_double ? LARMOR_DOUBLE : LARMOR_SINGLE;
  const larmor_shape shape = shape_of(dims);
  larmor_operator* op = nullptr;
  must(larmor_coil_maps_create(context(), precision, &shape, maps.data, &op));
  give(op, precision, host);
}

/// The numbers of an operator's argument, whose count and class must match.
const void* input(const Value& value, const char* name, const Object& object, const larmor_shape& shape) {
  const Dims dims = dims_of(shape);
  if (value.kind != kind_of(object.precision))
    fail(std::string(name) + " is not complex of class " +
         (object.precision == LARMOR_DOUBLE ? "double" : "single") + ": convert it, such as complex(" +
         (object.precision == LARMOR_DOUBLE ? "double" : "single") + "(" + name + "))");
  if (value.count() != product(dims))
    fail(std::string(name) + " is " + dims_text(value.dims) + ", expected " + dims_text(dims));
  return value.data;
}

/// A column vector if the argument was one, otherwise an array of the operator's shape.
Dims result_dims(const larmor_shape& shape, const Value& argument) {
  const Dims dims = dims_of(shape);
  const bool column = argument.dims.size() == 2 && argument.dims[1] == 1;
  return column || dims.size() == 1 ? Dims{product(dims), 1} : dims;
}

void apply(Arguments& arguments, bool adjoint, Host& host) {
  const Object& object = arguments.object("the operator");
  const Value& in = arguments.next("x");
  larmor_shape domain, codomain;
  must(larmor_operator_shapes(object.op.get(), &domain, &codomain));
  if (adjoint) std::swap(domain, codomain);
  const void* from = input(in, adjoint ? "y" : "x", object, domain);
  void* to = host.array(kind_of(object.precision), result_dims(codomain, in));
  must((adjoint ? larmor_operator_adjoint : larmor_operator_apply)(object.op.get(), from, to));
}

int on_step(void* user, const larmor_step* /*step*/, const void* /*x*/) {
  return static_cast<Host*>(user)->interrupted() ? 1 : 0;
}

void solve(Arguments& arguments, Host& host) {
  const Object& object = arguments.object("the operator");
  const Value& y = arguments.next("y");
  const std::string solver = arguments.text("the solver");
  larmor_solve_options options{};
  options.struct_size = sizeof options;
  options.solver = solver.c_str();
  options.iterations = arguments.whole("the number of iterations");
  options.tolerance = arguments.number("the tolerance");
  options.space = static_cast<std::int32_t>(arguments.whole("the number of axes in space"));
  const Value& weights = arguments.next("the weights");
  if (weights.count() > 0 && weights.kind != Value::Kind::real_double)
    fail("the weights are not real numbers of class double");
  if (weights.count() > 0) options.weights = static_cast<const double*>(weights.data);
  options.weight_count = weights.count();
  std::vector<std::string> terms;
  while (arguments.more()) terms.push_back(arguments.text("a regularizer"));
  std::vector<const char*> names;
  for (const std::string& term : terms) names.push_back(term.c_str());
  options.regularizers = names.data();
  options.regularizer_count = static_cast<std::int64_t>(names.size());
  options.step = on_step;
  options.user = &host;
  larmor_shape domain, codomain;
  must(larmor_operator_shapes(object.op.get(), &domain, &codomain));
  const void* from = input(y, "y", object, codomain);
  must(larmor_solve(object.op.get(), from, host.array(kind_of(object.precision), result_dims(domain, y)),
                    &options));
}

int on_progress(void* user, const char* /*stage*/, std::int64_t /*done*/, std::int64_t /*total*/) {
  return static_cast<Host*>(user)->interrupted() ? 1 : 0;
}

struct DestroyScan {
  void operator()(larmor_scan* scan) const { larmor_scan_destroy(scan); }
};
struct DestroyOptions {
  void operator()(larmor_options* options) const { larmor_options_destroy(options); }
};
struct DestroyImages {
  void operator()(larmor_images* images) const { larmor_images_destroy(images); }
};

void reconstruct(Arguments& arguments, Host& host) {
  const std::string path = arguments.text("the scan's file");
  larmor_scan* scan = nullptr;
  must(larmor_scan_read(path.c_str(), nullptr, &scan));
  const std::unique_ptr<larmor_scan, DestroyScan> scan_kept(scan);
  larmor_options* options = nullptr;
  must(larmor_options_create(&options));
  const std::unique_ptr<larmor_options, DestroyOptions> options_kept(options);
  while (arguments.more()) {
    const std::string name = arguments.text("the name of an option");
    const Value& value = arguments.next("the value of an option");
    const larmor_shape shape = shape_of(value.dims);
    switch (value.kind) {
      case Value::Kind::text:
        must(larmor_options_set(options, name.c_str(), value.text.c_str()));
        break;
      case Value::Kind::real_double:
        must(larmor_options_set_real(options, name.c_str(), &shape, static_cast<const double*>(value.data)));
        break;
      case Value::Kind::complex_single:
        must(
            larmor_options_set_complex(options, name.c_str(), &shape, static_cast<const float*>(value.data)));
        break;
      case Value::Kind::complex_double:
        fail("option " + name + ": expected complex numbers of class single");
    }
  }
  larmor_images* images = nullptr;
  must(larmor_reconstruct(context(), scan, options, on_progress, &host, &images));
  const std::unique_ptr<larmor_images, DestroyImages> images_kept(images);
  larmor_shape shape{};
  const float* pixels = nullptr;
  const std::int64_t count = larmor_images_count(images);
  must(larmor_images_pixels(images, 0, &shape, &pixels));
  Dims dims = dims_of(shape);
  const std::int64_t one = product(dims);
  dims.push_back(count);
  auto* out = static_cast<float*>(host.array(Value::Kind::complex_single, dims));
  for (std::int64_t i = 0; i < count; ++i) {
    must(larmor_images_pixels(images, i, &shape, &pixels));
    std::copy(pixels, pixels + 2 * one, out + 2 * i * one);
  }
  host.text(larmor_images_report(images));
}

void give_dims(const Dims& dims, Host& host) {
  auto* numbers =
      static_cast<double*>(host.array(Value::Kind::real_double, {1, static_cast<std::int64_t>(dims.size())}));
  std::copy(dims.begin(), dims.end(), numbers);
}

}  // namespace

std::int64_t Value::count() const {
  return product(dims);
}

void call(const std::vector<Value>& values, Host& host) {
  if (values.empty() || values[0].kind != Value::Kind::text)
    fail("the first argument must be the name of a function");
  const std::string what = values[0].text;
  Arguments arguments(values);
  larmor_operator* op = nullptr;
  if (what == "version") {
    host.text(larmor_version());
  } else if (what == "nufft") {
    make_nufft(arguments, host);
  } else if (what == "maps") {
    make_maps(arguments, host);
  } else if (what == "product") {
    const Object& a = arguments.object("the left operator");
    const Object& b = arguments.object("the right operator");
    must(larmor_product_create(a.op.get(), b.op.get(), &op));
    give(op, a.precision, host);
  } else if (what == "transposed") {
    const Object& a = arguments.object("the operator");
    must(larmor_adjoint_create(a.op.get(), &op));
    give(op, a.precision, host);
  } else if (what == "normal") {
    const Object& a = arguments.object("the operator");
    must(larmor_normal_create(a.op.get(), &op));
    give(op, a.precision, host);
  } else if (what == "sizes") {
    larmor_shape domain, codomain;
    must(larmor_operator_shapes(arguments.object("the operator").op.get(), &domain, &codomain));
    give_dims(dims_of(domain), host);
    give_dims(dims_of(codomain), host);
  } else if (what == "apply" || what == "adjoint") {
    apply(arguments, what == "adjoint", host);
  } else if (what == "solve") {
    solve(arguments, host);
  } else if (what == "recon") {
    reconstruct(arguments, host);
  } else if (what == "delete") {
    objects.erase(arguments.whole("the object"));
  } else if (what == "count") {
    give_number(static_cast<double>(objects.size()), host);
  } else {
    fail("there is no function '" + what + "'");
  }
}

void release_all() {
  objects.clear();
}

}  // namespace larmor_gateway

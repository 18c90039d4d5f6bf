#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/hdf5/handle.hpp>
#include <larmor/io/hdf5/messages.hpp>

#include <fmt/ranges.h>

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace larmor {

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace larmor

namespace larmor::hdf5 {
namespace {

static_assert(std::is_same_v<Id, hid_t>);

struct FirstDescription {
  std::string text;
};

herr_t take_first(unsigned, const H5E_error2_t* error, void* data) noexcept {
  auto* first = static_cast<FirstDescription*>(data);
  if (first->text.empty() && error->desc != nullptr) first->text = error->desc;
  return 0;
}

constexpr int deepest_type = 8;

bool sound_number(hid_t type, std::size_t bytes) {
  const std::size_t bits = 8 * bytes, precision = H5Tget_precision(type);
  const int offset = H5Tget_offset(type);
  if (bytes > 16 || precision == 0 || precision > bits || offset < 0 ||
      static_cast<std::size_t>(offset) > bits - precision)
    return false;
  if (H5Tget_class(type) != H5T_FLOAT) return true;
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  return H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 &&
         sign < bits && exponent_bits > 0 && exponent_bits < 32 && exponent < bits &&
         exponent_bits <= bits - exponent && mantissa_bits > 0 && mantissa < bits &&
         mantissa_bits <= bits - mantissa;
}

bool sound_compound(hid_t type, std::size_t bytes, int depth);

bool sound(hid_t type, int depth) {
  const std::size_t bytes = H5Tget_size(type);
  if (bytes == 0 || depth > deepest_type) return false;
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
      return sound_number(type, bytes);
    case H5T_STRING: {
      if (H5Tis_variable_str(type) <= 0) return true;
      const Handle character(H5Tget_super(type));
      return !character.valid() || H5Tget_size(character) == 1;
    }
    case H5T_COMPOUND:
      return sound_compound(type, bytes, depth);
    case H5T_VLEN:
      return sound(Handle(H5Tget_super(type)), depth + 1);
    case H5T_ARRAY: {
      std::array<hsize_t, H5S_MAX_RANK> extents{};
      const int rank = H5Tget_array_dims2(type, extents.data());
      const Handle base(H5Tget_super(type));
      if (rank < 1 || !base.valid() || !sound(base, depth + 1)) return false;
      double product = static_cast<double>(H5Tget_size(base));
      for (int axis = 0; axis < rank; ++axis)
        product *= static_cast<double>(extents[static_cast<std::size_t>(axis)]);
      return product == static_cast<double>(bytes);
    }
    default:
      return false;
  }
}

bool sound_compound(hid_t type, std::size_t bytes, int depth) {
  const int count = H5Tget_nmembers(type);
  std::vector<std::pair<std::size_t, std::size_t>> extents;  // of the members, to find overlaps
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<unsigned>(i);
    const Handle member(H5Tget_member_type(type, index));
    if (!member.valid() || !sound(member, depth + 1)) return false;
    extents.emplace_back(H5Tget_member_offset(type, index), H5Tget_size(member));
  }
  std::sort(extents.begin(), extents.end());
  std::size_t end = 0;
  for (const auto& [offset, size] : extents) {
    if (offset < end || offset > bytes || size > bytes - offset) return false;
    end = offset + size;
  }
  return count > 0;
}

std::string type_name(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return "integer";
    case H5T_FLOAT:
      return H5Tget_size(type) == 8 ? "double" : "float";
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND: {
      std::vector<std::string> members;
      const int count = H5Tget_nmembers(type);
      for (int i = 0; i < std::min(count, 8); ++i) {
        char* name = H5Tget_member_name(type, static_cast<unsigned>(i));
        if (name != nullptr) members.emplace_back(name);
        H5free_memory(name);
      }
      const bool complex = count == 2 && members.size() == 2 && (members[0] == "r" || members[0] == "real");
      return complex ? "complex" : "compound of " + join(members, "/");
    }
    default:
      return "other type";
  }
}

}  // namespace

Handle::~Handle() {
  close();
}

bool Handle::close() {
  if (id_ < 0) return true;
  const hid_t id = std::exchange(id_, -1);
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id) >= 0;
    case H5I_GROUP:
      return H5Gclose(id) >= 0;
    case H5I_DATASET:
      return H5Dclose(id) >= 0;
    case H5I_DATATYPE:
      return H5Tclose(id) >= 0;
    case H5I_DATASPACE:
      return H5Sclose(id) >= 0;
    case H5I_BADID:
      return false;
    default:
      return H5Idec_ref(id) >= 0;
  }
}

Silence::Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Silence::~Silence() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

std::string last_reason() {
  FirstDescription first;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &first);
  return first.text.empty() ? "unknown reason" : printable(first.text, 200);
}

bool sound_type(Id type) {
  return sound(type, 0);
}

std::vector<std::string> link_names(Id group, std::size_t limit) {
  std::vector<std::string> names;
  H5G_info_t info{};
  if (H5Gget_info(group, &info) < 0) return names;
  for (hsize_t i = 0; i < info.nlinks && names.size() < limit; ++i) {
    const ssize_t length =
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    if (length <= 0) break;
    std::string name(static_cast<std::size_t>(length), '\0');
    H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size() + 1, H5P_DEFAULT);
    names.push_back(std::move(name));
  }
  return names;
}

std::string describe_dataset(Id dataset, const std::string& name) {
  const Handle space(H5Dget_space(dataset));
  const Handle type(H5Dget_type(dataset));
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = space.valid() ? H5Sget_simple_extent_dims(space, extents.data(), nullptr) : 0;
  std::string shape;
  if (rank > 0) shape = fmt::format(" [{}]", fmt::join(extents.begin(), extents.begin() + rank, ", "));
  return fmt::format("{}{} {}", printable(name), shape, type.valid() ? type_name(type) : "unknown type");
}

}  // namespace larmor::hdf5

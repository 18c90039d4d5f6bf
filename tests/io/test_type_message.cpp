#include <larmor/io/hdf5/type_message.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstring>
#include <vector>

namespace larmor::test {
namespace {

using hdf5::Handle;
using hdf5::sound_type_message;
using Message = std::vector<std::uint8_t>;

// As the HDF5 library writes it, preceded by two bytes of its own.
Message message_of(hid_t type) {
  std::size_t bytes = 0;
  EXPECT_GE(H5Tencode(type, nullptr, &bytes), 0);
  Message encoded(bytes);
  EXPECT_GE(H5Tencode(type, encoded.data(), &bytes), 0);
  encoded.erase(encoded.begin(), encoded.begin() + 2);
  return encoded;
}

Handle array_of_pairs() {
  const Handle pair = hdf5::complex_type(H5T_NATIVE_DOUBLE);
  const hsize_t extents[2] = {3, 2};
  return Handle(H5Tarray_create2(pair, 2, extents));
}

TEST(TypeMessage, TypesOfTheLibraryAreSound) {
  EXPECT_TRUE(sound_type_message(message_of(H5T_NATIVE_FLOAT)));
  EXPECT_TRUE(sound_type_message(message_of(H5T_NATIVE_INT16)));
  EXPECT_TRUE(sound_type_message(message_of(H5T_C_S1)));
  EXPECT_TRUE(sound_type_message(message_of(H5T_STD_REF_OBJ)));
  EXPECT_TRUE(sound_type_message(message_of(hdf5::acquisition_type())));
  EXPECT_TRUE(sound_type_message(message_of(hdf5::image_header_type())));
  EXPECT_TRUE(sound_type_message(message_of(array_of_pairs())));
  const Handle truth(H5Tenum_create(H5T_NATIVE_INT8));
  for (std::int8_t value : {0, 1}) ASSERT_GE(H5Tenum_insert(truth, value == 0 ? "FALSE" : "TRUE", &value), 0);
  EXPECT_TRUE(sound_type_message(message_of(truth)));
}

TEST(TypeMessage, CutOnesAreNot) {
  for (const Message& whole : {message_of(hdf5::acquisition_type()), message_of(array_of_pairs())})
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_FALSE(sound_type_message({whole.data(), length})) << length << " of " << whole.size();
}

// Bytes 4 to 7 hold the size of a type.
void set_size(Message& message, std::uint32_t size) {
  std::memcpy(message.data() + 4, &size, sizeof size);
}

TEST(TypeMessage, SizesThatContradictEachOtherAreNot) {
  for (const std::uint32_t size : {0U, 16U, 95U, 97U}) {
    Message message = message_of(array_of_pairs());
    set_size(message, size);
    EXPECT_FALSE(sound_type_message(message)) << "array of " << size << " bytes, expected 96";
  }
  Message pair = message_of(hdf5::complex_type(H5T_NATIVE_DOUBLE));
  set_size(pair, 15);
  EXPECT_FALSE(sound_type_message(pair)) << "a member ends outside of its compound";
  set_size(pair, 17);
  EXPECT_TRUE(sound_type_message(pair)) << "room behind the members";
}

TEST(TypeMessage, MembersOfNoBytesAreNot) {
  const Message sound = message_of(hdf5::complex_type(H5T_NATIVE_DOUBLE));
  int found = 0;
  for (std::size_t at = 8; at + 4 <= sound.size(); ++at) {
    Message message = sound;
    std::uint32_t value = 0;
    std::memcpy(&value, message.data() + at, sizeof value);
    if (value != 8) continue;
    std::memset(message.data() + at, 0, sizeof value);
    found += !sound_type_message(message);
  }
  EXPECT_GE(found, 2) << "both members";
}

TEST(TypeMessage, DeepNestsAreNot) {
  Handle type(H5Tcopy(H5T_NATIVE_FLOAT));
  for (int level = 0; level < 8; ++level) type = Handle(H5Tvlen_create(type));
  EXPECT_TRUE(sound_type_message(message_of(type)));
  type = Handle(H5Tvlen_create(type));
  EXPECT_FALSE(sound_type_message(message_of(type)));
}

}  // namespace
}  // namespace larmor::test

#include "io/hostile_files.hpp"
#include "io/make_images.hpp"
#include "io/mrd_stream/stream_in_memory.hpp"

#include <larmor/apps/output/checkpoint.hpp>
#include <larmor/core/reporter.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/arrays/matrix_market.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/images/nifti.hpp>
#include <larmor/io/ismrmrd/images.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/isolated/messages.hpp>
#include <larmor/io/maps_file.hpp>
#include <larmor/io/wisdom_file.hpp>

#include <cmath>
#include <filesystem>

// make_seeds FOLDER: writes small valid files for every target, FOLDER/TARGET/NAME, from which fuzzing
// starts.

namespace larmor::test {
namespace {

namespace fs = std::filesystem;

fs::path folder;

std::string seed(const char* target, const std::string& name) {
  fs::create_directories(folder / target);
  const fs::path path = folder / target / name;
  fs::remove(path);
  return path.string();
}

hostile::RawFile small_scan() {
  hostile::RawFile file;
  file.xml = hostile::HeaderText().text();
  file.chunk_rows = 4;
  for (std::uint16_t i = 0; i < 3; ++i) {
    hostile::RawReadout readout;
    readout.samples = 4;
    readout.channels = 2;
    readout.encode_step_1 = i;
    readout.trajectory = {-0.5F, 0.1F, -0.25F, 0, 0, 0, 0.25F, 0.2F};
    readout.data.assign(8, {1.5F, static_cast<float>(i)});
    file.readouts.push_back(readout);
  }
  return file;
}

void write_scans() {
  using hostile::RawFile;
  using hostile::Versions;
  const auto with = [](const char* name, const std::function<void(RawFile&)>& change) {
    RawFile file = small_scan();
    change(file);
    file.write(seed("scan", name));
  };
  with("oldest", [](RawFile&) {});
  with("v18", [](RawFile& file) { file.versions = Versions::v18; });
  with("v110", [](RawFile& file) { file.versions = Versions::v110; });
  with("compact", [](RawFile& file) { file.compact = true; });
  with("compressed", [](RawFile& file) { file.compressed = true; });
  with("short_addresses", [](RawFile& file) { file.address_bytes = 4; });
  with("fixed_text", [](RawFile& file) { file.xml_storage = hostile::XmlStorage::fixed_ascii; });
  with("many_chunks", [](RawFile& file) {
    file.chunk_rows = 1;
    file.versions = Versions::v110;
    for (int i = 0; i < 4; ++i) file.readouts.push_back(file.readouts[0]);
  });
}

void write_streams() {
  const std::string path = (folder / "scan.h5").string();
  small_scan().write(path);
  const Scan scan = read_ismrmrd(path);
  fs::remove(path);
  for (const bool configured : {false, true}) {
    StreamBytes bytes;
    mrd::MessageWriter writer = writer_to(bytes);
    if (configured) writer.config_file("default");
    writer.header(scan.xml_header);
    if (configured) writer.text("{}");
    for (const Readout& readout : scan.readouts) writer.acquisition(mrd::make_acquisition(scan, readout));
    if (configured) writer.close();
    hostile::overwrite_contents(seed("stream", configured ? "configured" : "plain"),
                                {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

ImageSeries series(ImageKind kind, int count, const Shape& shape) {
  ImageSeries result;
  result.kind = kind;
  for (int i = 0; i < count; ++i) result.images.push_back(make_image(shape));
  return result;
}

void write_arrays() {
  write_ismrmrd_images(seed("images", "real.h5"), series(ImageKind::magnitude, 1, {1, 4, 6}));
  write_ismrmrd_images(seed("images", "complex.h5"), series(ImageKind::complex, 2, {2, 3, 4}));
  write_nifti(seed("nifti", "real.nii"), series(ImageKind::magnitude, 1, {1, 4, 6}));
  write_nifti(seed("nifti", "complex.nii.gz"), series(ImageKind::complex, 1, {2, 3, 4}));
  Array<std::complex<float>> complex(Shape{2, 3});
  Array<double> real(Shape{32, 2}), three(Shape{4, 8, 3});
  for (Index i = 0; i < 6; ++i) complex[i] = {static_cast<float>(i), -1};
  for (Index i = 0; i < 32; ++i) {
    const double angle = 0.8 * static_cast<double>(i / 8), radius = static_cast<double>(i % 8 - 4) / 8;
    real[2 * i] = three[3 * i] = radius * std::cos(angle);
    real[2 * i + 1] = three[3 * i + 1] = radius * std::sin(angle);
    three[3 * i + 2] = 0;
  }
  write_npy<std::complex<float>>(seed("npy", "complex.npy"), complex.view());
  write_npy<double>(seed("npy", "real.npy"), real.view());
  write_npy<double>(seed("trajectory", "two.npy"), real.view());
  write_npy<double>(seed("trajectory", "three.npy"), three.view());
  hostile::overwrite_contents(seed("npy", "fortran.npy"),
                              std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
                                  "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }            \n" +
                                  "abcdefghijkl");
  write_cfl((folder / "pair").string(), complex.view(), true);
  hostile::overwrite_contents(seed("cfl", "complex"), hostile::contents((folder / "pair.hdr").string()) +
                                                          '\0' +
                                                          hostile::contents((folder / "pair.cfl").string()));
  fs::remove(folder / "pair.hdr");
  fs::remove(folder / "pair.cfl");
}

void write_shapes() {
  const std::string path = (folder / "array.npy").string();
  const auto npy = [&](const auto& array) {
    using T = std::decay_t<decltype(array[0])>;
    write_npy<T>(path, array.view(), true);
    return hostile::contents(path);
  };
  const std::string volumes = npy(filled<std::complex<float>>({2, 1, 2, 3}, {1, -1}));
  for (const char writer : {0, 1, 2, 3, 4, 5, 6})
    hostile::overwrite_contents(seed("shapes", "writer_" + std::to_string(writer)), writer + volumes);
  const auto arrays = [&](const std::string& axes, const std::string& kspace, const std::string& trajectory) {
    return axes + '\0' + static_cast<char>(kspace.size() % 256) + static_cast<char>(kspace.size() / 256) +
           kspace + trajectory;
  };
  const std::string samples = npy(filled<std::complex<float>>({2, 3, 8}, 1));
  Array<double> spokes(Shape{3, 8, 2});
  for (Index i = 0; i < 24; ++i) {
    spokes[2 * i] = static_cast<double>(i % 8 - 4) / 8 * std::cos(static_cast<double>(i / 8));
    spokes[2 * i + 1] = static_cast<double>(i % 8 - 4) / 8 * std::sin(static_cast<double>(i / 8));
  }
  hostile::overwrite_contents(seed("scan_arrays", "spokes"),
                              arrays("coils,spokes,samples", samples, npy(spokes)));
  hostile::overwrite_contents(seed("scan_arrays", "lines"), arrays("coils,lines,samples", samples, ""));
  fs::remove(path);
}

void write_options() {
  hostile::overwrite_contents(
      seed("config", "run.toml"),
      "# of a site\n[run]\nquiet = true\nmatrix = \"64,48\"\nfov = 220.5\nslice = \"2:5\"\n"
      "window = \"34,8\"\necho-times = \"2.5,5\"\nregularizer = [\"l2:1e-3\", \"tv:auto\"]\n");
  hostile::overwrite_contents(seed("recipe", "run.toml"),
                              "[run]\nreal-time = true\nregularizer = [\"l2:1e-3\"]\niterations = 3\n");
  hostile::overwrite_contents(seed("recipe", "run.json"),
                              R"({"iterations": 3, "regularizer": ["l2:1e-3", "tv:auto"], "quiet": true})");
}

void write_maps() {
  ImageGeometry place;
  place.matrix = {4, 3, 1};
  place.fov_mm = {40, 30, 5};
  place.position = {1, -2, 3};
  const std::string array = (folder / "maps.npy").string(), image = (folder / "maps.nii").string();
  const std::string beside = maps_geometry_path(array);
  for (const std::string& path : {array, image})
    write_coil_maps(path, filled<std::complex<float>>({2, 3, 4}, 1), {place}, 1, true);
  hostile::overwrite_contents(seed("maps", "image"), '\0' + hostile::contents(image));
  hostile::overwrite_contents(seed("maps", "beside"), '\1' + hostile::contents(beside));
  for (const std::string& path : {array, beside, image}) fs::remove(path);
}

void write_texts() {
  hostile::HeaderText header;
  hostile::overwrite_contents(seed("xml", "plain"), header.text());
  header.prefix = "m:";
  header.limits =
      "<m:encodingLimits><m:kspace_encoding_step_1><m:center>8</m:center></m:kspace_encoding_step_1>"
      "</m:encodingLimits>";
  header.sequence = "<m:sequenceParameters><m:TR>4.5</m:TR></m:sequenceParameters>";
  hostile::overwrite_contents(seed("xml", "prefixed"), header.text());
  hostile::overwrite_contents(
      seed("matrix_market", "complex.mtx"),
      "%%MatrixMarket matrix coordinate complex general\n4 3 3\n1 2 1 0\n3 1 0.5 -2\n4 3 3 0\n");
  hostile::overwrite_contents(
      seed("matrix_market", "symmetric.mtx"),
      "%%MatrixMarket matrix coordinate real symmetric\n% text\n3 3 2\n1 1 2.5\n3 1 -1e3\n");
  hostile::overwrite_contents(seed("matrix_market", "pattern.mtx"),
                              "%%MatrixMarket matrix coordinate pattern general\n2 5 2\n1 1\n2 5\n");
}

class Silent final : public Reporter {
  void note(const std::string&) override {}
  void warning(const std::string&) override {}
  void progress(const std::string&, Index, Index, const std::string&) override {}
};

void write_own_files() {
  Silent reporter;
  WisdomFile wisdom(seed("wisdom", "two.json"), reporter);
  wisdom.store("cpu/plan", {{{"seconds", 0.25}, {"width", 6}}, {{"kernel", "spread"}}});
  wisdom.store("other", {{{"n", 1}}, {}});
  fs::remove(wisdom.path() + ".lock");
  app::Console console(true, false);
  const app::CheckpointFile file(seed("checkpoint", "small"), console);
  ReconstructOptions options;
  file.connect(options);
  Checkpoint<float> solver{"cg", 7, {}, {0.5, 2}};
  solver.vectors.emplace_back(Shape{2, 3});
  solver.vectors.emplace_back(Shape{4});
  for (auto& vector : solver.vectors) std::fill(vector.begin(), vector.end(), std::complex<float>(1, -1));
  options.solve.checkpoint({0, "l2:0.1", {12.5, {3, -4}}, std::move(solver)});
}

// A message preceded by its length.
std::string message(const isolated::MessageHead& head, const std::string& rest = "") {
  const auto size = static_cast<std::uint32_t>(sizeof head + rest.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) +
         std::string(reinterpret_cast<const char*>(&head), sizeof head) + rest;
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

void write_messages() {
  using isolated::MessageKind;
  hdf5::AcquisitionHeaderRecord record{};
  record.number_of_samples = 2;
  record.active_channels = record.available_channels = 1;
  record.trajectory_dimensions = 2;
  const std::vector<ismrmrd::RowLengths> lengths{{4, 4}};
  const std::vector<float> numbers{0, 0.1F, 0.2F, 0.3F, 1, 2, 3, 4};
  hostile::overwrite_contents(
      seed("messages", "scan"),
      std::string(1, '\0') + message({.kind = MessageKind::table, .count = 1}, hostile::HeaderText().text()) +
          message({.kind = MessageKind::headers, .count = 1}, bytes_of(std::vector{record})) +
          message({.kind = MessageKind::values, .count = 1}, bytes_of(lengths) + bytes_of(numbers)) +
          message({}));
  const std::vector<ismrmrd::RowPlaces> places{{16, 64, {4, 4}}};
  hostile::overwrite_contents(
      seed("messages", "places"),
      std::string(1, '\0') + message({.kind = MessageKind::table, .count = 1}, hostile::HeaderText().text()) +
          message({.kind = MessageKind::headers, .count = 1}, bytes_of(std::vector{record})) +
          message({.kind = MessageKind::places, .count = 1}, bytes_of(places)) + message({}));
  hostile::overwrite_contents(seed("messages", "images"),
                              std::string(1, '\1') +
                                  message({.kind = MessageKind::images, .first = 1, .count = 2},
                                          bytes_of(std::vector<std::uint64_t>{2, 2})) +
                                  message({.kind = MessageKind::pixels, .count = 8}, bytes_of(numbers)) +
                                  message({}));
  hostile::overwrite_contents(
      seed("messages", "failed"),
      std::string(1, '\0') + message({.kind = MessageKind::failed, .first = 3, .count = 5}, "groupno"));
}

}  // namespace
}  // namespace larmor::test

int main(int count, char** words) {
  using namespace larmor::test;
  if (count != 2) return 2;
  folder = words[1];
  write_scans();
  write_streams();
  write_arrays();
  write_shapes();
  write_options();
  write_maps();
  write_texts();
  write_own_files();
  write_messages();
}

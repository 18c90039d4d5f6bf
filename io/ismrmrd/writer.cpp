#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/ismrmrd/readout_record.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/ismrmrd/xml.hpp>
#include <larmor/io/isolated/writer_process.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace larmor {
namespace {

void put_row(isolated::WriterProcess& writer, const Scan& scan, std::size_t index) {
  const Readout& readout = scan.readouts[index];
  const ReadoutHeader& header = readout.header;
  const std::size_t samples = std::size_t{header.samples} * header.active_channels;
  const std::size_t coordinates = std::size_t{header.samples} * header.trajectory_dimensions;
  if (!scan.has_samples(readout) || readout.trajectory_offset + coordinates > scan.trajectory.size())
    throw internal_error("readout {} exceeds the scan's data ({} values at {}, the data have {})", index,
                         samples, readout.data_offset, scan.data.size());
  writer.put(ismrmrd::to_record(header));
  writer.put(std::uint64_t{coordinates});
  writer.put(std::uint64_t{2 * samples});
  writer.put(scan.trajectory.data() + readout.trajectory_offset, coordinates * sizeof(float));
  writer.put(scan.samples(readout), samples * sizeof(std::complex<float>));
}

void put_waveform(isolated::WriterProcess& writer, const Waveform& waveform) {
  const std::size_t channels = waveform.channels,
                    samples = waveform.values.size() / std::max<std::size_t>(channels, 1);
  if (samples > std::numeric_limits<std::uint16_t>::max() || samples * channels != waveform.values.size())
    throw internal_error("a waveform has {} values of {} channels", waveform.values.size(), channels);
  hdf5::WaveformHeaderRecord record{};
  record.version = 1;
  record.time_stamp = waveform.time_stamp;
  record.number_of_samples = static_cast<std::uint16_t>(samples);
  record.channels = waveform.channels;
  record.sample_time_us = waveform.sample_time_us;
  record.waveform_id = waveform.id;
  writer.put(record);
  writer.put(waveform.values.data(), waveform.values.size() * sizeof(std::uint32_t));
}

}  // namespace

void write_ismrmrd_raw(const std::string& path, const Scan& scan, bool overwrite) {
  std::string xml = scan.xml_header;
  if (xml.empty()) {
    int channels = 0;
    for (const Readout& readout : scan.readouts)
      channels = std::max<int>(channels, readout.header.active_channels);
    xml = make_ismrmrd_xml(scan, channels);
  }
  AtomicFile target(path, overwrite);
  // In the order in which write_acquisitions() reads it.
  isolated::WriterProcess writer(isolated::Contents::acquisitions, target);
  writer.put_text(xml);
  writer.put(std::uint64_t{scan.readouts.size()});
  for (std::size_t i = 0; i < scan.readouts.size(); ++i) put_row(writer, scan, i);
  writer.put(std::uint64_t{scan.waveforms.size()});
  for (const Waveform& waveform : scan.waveforms) put_waveform(writer, waveform);
  writer.finish();
  target.commit();
}

}  // namespace larmor

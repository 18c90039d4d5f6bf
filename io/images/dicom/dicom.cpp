#include <larmor/core/beside_library.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/symbol.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/own_file.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/images/dicom/attributes.hpp>
#include <larmor/io/images/dicom/dicom.hpp>
#include <larmor/io/images/dicom/dicom_uid.hpp>
#include <larmor/io/images/dicom/frames.hpp>
#include <larmor/io/images/dicom/larmor_dicom.hpp>
#include <larmor/io/images/measurement.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

// Attributes, modules and macros are those of DICOM PS3.3 (2023e): A.4 MR Image, A.36 Enhanced MR Image.

namespace larmor {
namespace {

using dicom::Attributes;
using dicom::Frame;
using dicom::Frames;
using dicom::StoredPixels;

// Placeholder if a date is required but unknown or withheld.
constexpr const char* no_date = "19000101";
constexpr const char* no_time = "000000";

struct Content {
  const ImageSeries& series;
  const DicomOptions& options;
  const Measurement facts;
  const Frames frames;
  const StoredPixels pixels;

  bool enhanced() const { return frames.frames.size() > 1; }
  /// A text of the header that may be written.
  std::string told(const std::string& text) const { return options.keep_patient ? text : ""; }
};

// Everything that distinguishes files, including the patient's data, as the basis of the identifiers of this
// image and its series.
std::string identity_of(const Content& content) {
  const std::vector<std::uint16_t>& values = content.pixels.values;
  return fmt::format("{} {} {} {} {:g} {} {} {}", content.series.ismrmrd_header,
                     checksum(0, values.data(), values.size() * 2), content.frames.columns,
                     content.frames.frames.size(), content.pixels.slope,
                     static_cast<int>(content.series.kind), content.options.keep_patient, version());
}

// Identifiers of the study and its frame of reference depend only on the header. The header's own identifiers
// are kept only together with the patient.
void put_identifiers(Attributes& data, const Content& content) {
  const std::string& header = content.series.ismrmrd_header;
  const std::string identity = identity_of(content);
  const auto put = [&](const char* tag, const char* what, const std::string& given,
                       const std::string& otherwise) {
    const bool own = content.options.keep_patient && !given.empty() && given.size() <= 64 &&
                     given.find_first_not_of("0123456789.") == std::string::npos;
    data.words(tag, own ? given : dicom_uid_of(what + (given.empty() ? otherwise : given)));
  };
  const std::string& study = content.facts.study.uid;
  const std::string otherwise = header.empty() ? identity : header;
  put("StudyInstanceUID", "study ", study, otherwise);
  put("FrameOfReferenceUID", "space ", content.facts.series.frame_of_reference_uid,
      study.empty() ? otherwise : study);
  put("SeriesInstanceUID", "series ", "", identity);
  put("SOPInstanceUID", "image ", "", identity);
}

// Patient, General Study, General Series, Frame of Reference, General Equipment, SOP Common.
void put_context(Attributes& data, const Content& content) {
  const Measurement& facts = content.facts;
  const auto told = [&](const std::string& text) { return content.told(text); };
  const auto date = [&](const std::string& text) { return dicom::date_of(told(text)); };
  const auto time = [&](const std::string& text) { return dicom::time_of(told(text)); };
  const bool keep = content.options.keep_patient;
  data.words("SpecificCharacterSet", "ISO_IR 192");
  data.words("SOPClassUID", content.enhanced() ? "1.2.840.10008.5.1.4.1.1.4.1" : "1.2.840.10008.5.1.4.1.1.4");
  data.text("PatientName", keep ? facts.patient.name : "Anonymous");
  data.text("PatientID", told(facts.patient.id));
  data.text("PatientBirthDate", date(facts.patient.birth_date));
  const std::string& sex = facts.patient.sex;
  data.text("PatientSex", keep && (sex == "M" || sex == "F" || sex == "O") ? sex : "");
  if (keep) {
    data.number("PatientWeight", facts.patient.weight_kg);
    data.number("PatientSize", facts.patient.height_m);
  } else {
    data.words("PatientIdentityRemoved", "YES");
    data.words("DeidentificationMethod", "patient, study, dates and names of the raw data left out");
  }
  data.text("StudyDate", date(facts.study.date));
  data.text("StudyTime", time(facts.study.time));
  data.text("StudyID", told(facts.study.id), 16);
  data.text("AccessionNumber", told(facts.study.accession), 16);
  data.text("ReferringPhysicianName", told(facts.study.referring_physician));
  data.known_text("StudyDescription", told(facts.study.description));
  data.words("Modality", "MR");
  data.words("SeriesNumber", "1");
  data.known_text("SeriesDate", date(facts.series.date));
  data.known_text("SeriesTime", time(facts.series.time));
  data.known_text("SeriesDescription", told(facts.series.description));
  data.known_text("ProtocolName", told(facts.series.protocol));
  const std::string& part = facts.study.body_part;
  std::string capitals = told(part);
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  data.known_text("BodyPartExamined", capitals, 16);
  data.text("PatientPosition", facts.series.patient_position, 16);
  data.words("PositionReferenceIndicator", "");
  data.text("Manufacturer", facts.system.vendor.empty() ? "unknown" : facts.system.vendor);
  data.text("ManufacturerModelName", facts.system.model.empty() ? "unknown" : facts.system.model);
  data.text("DeviceSerialNumber",
            keep && !facts.system.serial_number.empty() ? facts.system.serial_number : "unknown");
  data.text("SoftwareVersions", std::string("Larmor ") + version());
  data.known_text("InstitutionName", told(facts.system.institution));
  data.known_text("StationName", told(facts.system.station), 16);
  data.words("InstanceNumber", "1");
}

// Attributes of the pixels, common to both kinds of image.
void put_pixels(Attributes& data, const Content& content) {
  data.whole("SamplesPerPixel", 1);
  data.words("PhotometricInterpretation", "MONOCHROME2");
  data.whole("Rows", content.frames.rows);
  data.whole("Columns", content.frames.columns);
  data.whole("BitsAllocated", 16);
  data.whole("BitsStored", 16);
  data.whole("HighBit", 15);
  data.whole("PixelRepresentation", 0);
  data.words("BurnedInAnnotation", "NO");
  data.words("LossyImageCompression", "00");
}

void put_scale(Attributes& item, const Content& content) {
  item.number("RescaleIntercept", content.pixels.intercept);
  item.number("RescaleSlope", content.pixels.slope);
  item.words("RescaleType", "US");
}

void put_window(Attributes& item, const Content& content) {
  item.number("WindowCenter", content.pixels.window_center);
  item.number("WindowWidth", content.pixels.window_width);
  item.words("VOILUTFunction", "LINEAR_EXACT");  // defined for widths below 1 as well
}

void put_sizes(Attributes& item, const Content& content) {
  const Frames& frames = content.frames;
  item.numbers("PixelSpacing",
               {frames.voxel_mm[1], frames.voxel_mm[0]});  // DICOM gives the distance between rows first
  item.number("SliceThickness", frames.voxel_mm[2]);
  item.number("SpacingBetweenSlices", frames.spacing_mm);
}

void put_position(Attributes& item, const Frame& frame) {
  item.numbers("ImagePositionPatient", {frame.position.begin(), frame.position.end()});
}

void put_orientation(Attributes& item, const Content& content, const Frame& frame) {
  const ImageGeometry placed = content.frames.oriented ? frame.image->geometry : ImageGeometry{};
  const Vec3 &x = placed.read_dir, &y = placed.phase_dir;
  item.numbers("ImageOrientationPatient", {x[0], x[1], x[2], y[0], y[1], y[2]});
}

void put_single_image(Attributes& data, const Content& content) {
  const Measurement& facts = content.facts;
  const Frame& frame = content.frames.frames.front();
  const bool phase = content.series.kind == ImageKind::phase;
  data.words("ImageType", phase ? "DERIVED\\PRIMARY\\PHASE MAP" : "DERIVED\\PRIMARY\\OTHER");
  put_position(data, frame);
  put_orientation(data, content, frame);
  put_sizes(data, content);
  put_scale(data, content);
  put_window(data, content);
  data.words("ScanningSequence", facts.sequence.inversion_ms.empty() ? "RM" : "RM\\IR");
  data.words("SequenceVariant", "NONE");
  data.words("ScanOptions", "");
  data.words("MRAcquisitionType", "2D");
  data.empty("Laterality");
  const auto of_contrast = [&](const std::vector<double>& values) {
    return facts.of_contrast(values, frame.image->counters.contrast);
  };
  // Required attributes, known or not.
  const auto known = [&data](const char* keyword, const std::optional<double>& value) {
    data.words(keyword, value ? dicom::decimal(*value) : "");
  };
  known("RepetitionTime", of_contrast(facts.sequence.repetition_ms));
  known("EchoTime", of_contrast(facts.sequence.echo_ms));
  known("EchoTrainLength", facts.echo_train_length);
  data.number("InversionTime", of_contrast(facts.sequence.inversion_ms));
  data.number("FlipAngle", of_contrast(facts.sequence.flip_angle_deg));
  data.number("MagneticFieldStrength", facts.system.field_strength_t);
  if (facts.system.proton_frequency_hz)
    data.number("ImagingFrequency", *facts.system.proton_frequency_hz * 1e-6);
  data.words("ImagedNucleus", "1H");
  data.known_text("SequenceName", content.told(facts.series.sequence_name), 16);
}

constexpr const char* frame_type = "DERIVED\\PRIMARY\\OTHER\\NONE";

// Enhanced MR Image, with the attributes that the frames have in common.
void put_frame_type(Attributes& item, const Content& content) {
  item.words("PixelPresentation", "MONOCHROME");
  item.words("VolumetricProperties", "VOLUME");
  item.words("VolumeBasedCalculationTechnique", "NONE");
  item.words("ComplexImageComponent", content.series.kind == ImageKind::phase  ? "PHASE"
                                      : content.series.kind == ImageKind::real ? "REAL"
                                                                               : "MAGNITUDE");
  item.words("AcquisitionContrast", "UNKNOWN");
}

void put_shared_groups(Attributes& data, const Content& content) {
  data.begin("SharedFunctionalGroupsSequence");
  data.begin("PixelMeasuresSequence");
  put_sizes(data, content);
  data.end();
  data.begin("PixelValueTransformationSequence");
  put_scale(data, content);
  data.end();
  data.begin("FrameVOILUTSequence");
  put_window(data, content);
  data.end();
  data.begin("MRImageFrameTypeSequence");
  data.words("FrameType", frame_type);
  put_frame_type(data, content);
  data.end();
  data.begin("FrameAnatomySequence");
  data.words("FrameLaterality", "U");
  data.code("AnatomicRegionSequence", "38266002", "SCT", "Entire body");
  data.end();
  data.end();
}

void put_frame_groups(Attributes& data, const Content& content, const Frame& frame) {
  data.begin("PerFrameFunctionalGroupsSequence");
  data.begin("FrameContentSequence");
  data.whole("StackID", frame.stack);
  data.whole("InStackPositionNumber", frame.place);
  data.whole("TemporalPositionIndex", frame.time);
  const std::string kind = content.frames.kinds > 1 ? fmt::format("\\{}", frame.kind) : "";
  data.words("DimensionIndexValues", fmt::format("{}\\{}\\{}{}", frame.stack, frame.place, frame.time, kind));
  data.known_text("FrameLabel", frame.label);
  data.end();
  data.begin("PlanePositionSequence");
  put_position(data, frame);
  data.end();
  data.begin("PlaneOrientationSequence");
  put_orientation(data, content, frame);
  data.end();
  const Measurement& facts = content.facts;
  const auto of_contrast = [&](const std::vector<double>& values) {
    return facts.of_contrast(values, frame.image->counters.contrast);
  };
  const auto repetition = of_contrast(facts.sequence.repetition_ms),
             flip = of_contrast(facts.sequence.flip_angle_deg);
  if (repetition || flip) {
    data.begin("MRTimingAndRelatedParametersSequence");
    data.number("RepetitionTime", repetition);
    data.number("FlipAngle", flip);
    data.end();
  }
  if (const auto inversion = of_contrast(facts.sequence.inversion_ms)) {
    data.begin("MRModifierSequence");
    data.words("InversionRecovery", "YES");
    data.real("InversionTimes", inversion);
    data.end();
  }
  if (const auto echo = of_contrast(facts.sequence.echo_ms)) {
    data.begin("MREchoSequence");
    data.real("EffectiveEchoTime", echo);
    data.end();
  }
  data.end();
}

void put_dimensions(Attributes& data, const Content& content) {
  const std::string organization = dicom_uid_of("dimensions " + identity_of(content));
  data.begin("DimensionOrganizationSequence");
  data.words("DimensionOrganizationUID", organization);
  data.end();
  // Stack, position in it, time, and other indices: tags of the attributes in FrameContentSequence.
  std::vector<const char*> dimensions{"(0020,9056)", "(0020,9057)", "(0020,9128)"};
  if (content.frames.kinds > 1) dimensions.push_back("(0020,9453)");
  for (const char* dimension : dimensions) {
    data.begin("DimensionIndexSequence");
    data.words("DimensionIndexPointer", dimension);
    data.words("FunctionalGroupPointer", "(0020,9111)");
    data.words("DimensionOrganizationUID", organization);
    data.end();
  }
}

void put_frames(Attributes& data, const Content& content) {
  const Measurement& facts = content.facts;
  data.words("ImageType", frame_type);
  put_frame_type(data, content);
  data.words("NumberOfFrames", fmt::format("{}", content.frames.frames.size()));
  const std::string date = dicom::date_of(content.told(facts.series.date));
  const std::string time = dicom::time_of(content.told(facts.series.time));
  data.words("ContentDate", date.empty() ? no_date : date);
  data.words("ContentTime", time.empty() ? no_time : time);
  data.words("PresentationLUTShape", "IDENTITY");
  data.empty("AcquisitionContextSequence");
  data.words("ContentQualification", "RESEARCH");
  data.words("ResonantNucleus", "1H");
  data.number("MagneticFieldStrength", facts.system.field_strength_t);
  data.known_text("PulseSequenceName", content.told(facts.series.sequence_name));
  put_dimensions(data, content);
  put_shared_groups(data, content);
  for (const Frame& frame : content.frames.frames) put_frame_groups(data, content, frame);
}

void require_extents(const std::string& path, const Frames& frames) {
  if (frames.columns > 65535 || frames.rows > 65535)
    throw usage_error("{}: an extent of {} is too large for DICOM; the maximum is 65535", path,
                      std::max(frames.columns, frames.rows));
  const double bytes = 2.0 * static_cast<double>(frames.columns) * static_cast<double>(frames.rows) *
                       static_cast<double>(frames.frames.size());
  if (bytes > 4.294e9)
    throw usage_error(
        "{}: {:.1f} GB of pixels; a DICOM file holds up to 4.2 GB: write another format, or fewer images",
        path, bytes * 1e-9);
}

using Writer = decltype(&larmor_dicom_write);

Writer writer_for(const std::string& path) {
  constexpr const char* name = "liblarmor-dicom.so";
  const std::string file = find_beside_library(name);
  if (file.empty())
    throw usage_error(
        "{}: writing DICOM needs {}, which is built if DCMTK's development files (libdcmtk-dev) are "
        "installed: install them and rebuild",
        path, name);
  require_trusted(file);
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  Writer writer = nullptr;
  if (library == nullptr || !find_symbols(library, "larmor_dicom_write", writer))
    throw usage_error("{}: cannot write DICOM, because {} cannot be loaded: {}; install DCMTK", path, name,
                      printable(::dlerror(), 200));
  return writer;
}

// Larmor's numbers have the same byte order in memory as in the file: little-endian.
bool ends_with(const std::string& path, const std::vector<std::uint16_t>& values) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint16_t> last(values.size());
  const auto bytes = static_cast<std::streamsize>(last.size() * sizeof(std::uint16_t));
  return file.seekg(-bytes, std::ios::end) && file.read(reinterpret_cast<char*>(last.data()), bytes) &&
         last == values;
}

}  // namespace

void require_dicom(const std::string& path) {
  writer_for(path);
}

WrittenFiles write_dicom(const std::string& path, const ImageSeries& series, const DicomOptions& options) {
  const Writer writer = writer_for(path);
  Frames frames = dicom::frames_of(series);
  require_extents(path, frames);
  StoredPixels pixels = dicom::stored_pixels(frames, series.kind);
  const Content content{series, options, measurement_of(series.ismrmrd_header), std::move(frames),
                        std::move(pixels)};
  WrittenFiles written{{path}, {}};
  if (series.kind == ImageKind::complex)
    written.warnings.push_back(path + ": DICOM images hold real numbers; the magnitude is written");
  if (!content.frames.oriented)
    written.warnings.push_back(path + ": the image directions are not known; written in the scanner's axes");

  Attributes data;
  put_context(data, content);
  put_identifiers(data, content);
  data.words("ImageComments", std::string("reconstructed from raw data by Larmor ") + version());
  if (content.enhanced())
    put_frames(data, content);
  else
    put_single_image(data, content);
  put_pixels(data, content);

  AtomicFile target(path, options.overwrite);
  char reason[200] = "";
  const std::vector<std::uint16_t>& values = content.pixels.values;
  if (writer(data.lines().c_str(), values.data(), static_cast<long long>(values.size()),
             target.temporary_path().c_str(), reason, sizeof reason) != 0)
    throw resource_error("cannot write {}: {}", path, printable(reason, 200));
  // DCMTK does not notice if its buffered data could not be written. Pixels come last.
  if (!ends_with(target.temporary_path(), values))
    throw resource_error("cannot write {}: {}", path, std::strerror(ENOSPC));
  target.commit();
  return written;
}

}  // namespace larmor

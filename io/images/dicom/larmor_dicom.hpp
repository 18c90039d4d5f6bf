#pragma once

// What Larmor asks of DCMTK, by a name that is looked up in the library when it is loaded; it includes no
// other header of Larmor's.
extern "C" {

/// Writes a file in Explicit VR Little Endian. `dataset`: one attribute a line, "PatientName=A^B" by the
/// keywords of PS3.6; "Sequence{" begins a new item of a sequence, "}" ends it; a keyword alone is an
/// attribute without value. `pixels`: PixelData. Returns
/// 0, or writes into `message` why not, as the end of a sentence.
[[gnu::visibility("default")]] int larmor_dicom_write(const char* dataset, const unsigned short* pixels,
                                                      long long pixel_count, const char* path, char* message,
                                                      int message_size);

}  // extern "C"

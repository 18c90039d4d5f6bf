#pragma once

// The function that Larmor needs of DCMTK, under a name that is looked up when the library is loaded; this
// header includes no other header of Larmor.
extern "C" {

/// Writes a file in Explicit VR Little Endian. `dataset`: one attribute per line, "PatientName=A^B" by the
/// keywords of PS3.6; "Sequence{" begins a new item of a sequence, "}" ends it; a keyword alone is an
/// attribute without value. `pixels`: PixelData. Returns 0, or writes the reason into `message`, as the end
/// of a sentence.
[[gnu::visibility("default")]] int larmor_dicom_write(const char* dataset, const unsigned short* pixels,
                                                      long long pixel_count, const char* path, char* message,
                                                      int message_size);

}  // extern "C"

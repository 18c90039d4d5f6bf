#include <larmor/io/images/dicom/larmor_dicom.hpp>

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/oflog/oflog.h>

#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

/// Tags by keyword; DCMTK would search its whole dictionary for each.
class Keywords {
 public:
  OFCondition find(const std::string& keyword, DcmTag& tag) {
    const auto known = tags_.find(keyword);
    if (known != tags_.end()) {
      tag = known->second;
      return EC_Normal;
    }
    const OFCondition found = DcmTag::findTagFromName(keyword.c_str(), tag);
    if (found.good()) tags_.emplace(keyword, tag);
    return found;
  }

 private:
  std::unordered_map<std::string, DcmTag> tags_;
};

/// Adds one line to the innermost open item.
OFCondition put(std::string_view line, Keywords& keywords, std::vector<DcmItem*>& open) {
  if (line == "}") {
    open.pop_back();
    return EC_Normal;
  }
  const std::size_t end = line.find_first_of("={");
  DcmTag tag;
  const OFCondition known = keywords.find(std::string(line.substr(0, end)), tag);
  if (known.bad()) return known;
  if (end == std::string_view::npos) return open.back()->insertEmptyElement(tag);
  if (line[end] == '=')
    return open.back()->putAndInsertString(tag, std::string(line.substr(end + 1)).c_str());
  constexpr signed long append = -2;
  DcmItem* item = nullptr;
  const OFCondition made = open.back()->findOrCreateSequenceItem(tag, item, append);
  open.push_back(item);
  return made;
}

/// Loads the dictionary in the folder of this library, where a wheel has it. False if there is none.
bool load_dictionary_beside_library() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&larmor_dicom_write), &library) == 0) return false;
  const std::string path = library.dli_fname;
  const std::string dictionary = path.substr(0, path.rfind('/') + 1) + "dicom.dic";
  const bool loaded = dcmDataDict.wrlock().loadDictionary(dictionary.c_str(), OFFalse);
  dcmDataDict.wrunlock();
  return loaded;
}

}  // namespace

int larmor_dicom_write(const char* dataset, const unsigned short* pixels, long long pixel_count,
                       const char* path, char* message, int message_size) {
  const auto fail = [&](std::string_view what, const char* why) {
    std::snprintf(message, static_cast<std::size_t>(message_size), "%.*s: %s", static_cast<int>(what.size()),
                  what.data(), why);
    return 1;
  };
  OFLog::configure(OFLogger::OFF_LOG_LEVEL);  // errors are reported once, by Larmor
  if (!dcmDataDict.isDictionaryLoaded() && !load_dictionary_beside_library())
    return fail("DCMTK's data dictionary", "not found where DCMTK or DCMDICTPATH say");
  DcmFileFormat file;
  Keywords keywords;
  std::vector<DcmItem*> open{file.getDataset()};
  for (std::string_view rest = dataset; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const OFCondition done = put(line, keywords, open);
    if (done.bad()) return fail(line, done.text());
    rest.remove_prefix(line.size() + 1);
  }
  OFCondition saved = file.getDataset()->putAndInsertUint16Array(DCM_PixelData, pixels,
                                                                 static_cast<unsigned long>(pixel_count));
  if (saved.good()) saved = file.saveFile(path, EXS_LittleEndianExplicit);
  return saved.good() ? 0 : fail("DCMTK", saved.text());
}

#include <larmor/core/communicator/network/meeting_place.hpp>
#include <larmor/core/format_error.hpp>

#include <charconv>
#include <cstdlib>
#include <functional>
#include <string_view>

namespace larmor {
namespace {

std::string text_of(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

int number_of(const char* name, int least, int most) {
  const std::string text = text_of(name);
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end || number < least || number > most)
    throw usage_error("the environment's {} is '{}', expected a number from {} to {}", name, text, least,
                      most);
  return number;
}

// Who names ranks, by what, and what tells one job from another.
struct Naming {
  const char *rank, *size, *job, *step;
};
constexpr Naming namings[] = {{"RANK", "WORLD_SIZE", "TORCHELASTIC_RUN_ID", ""},
                              {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", ""},
                              {"PMI_RANK", "PMI_SIZE", "PMI_JOBID", ""},
                              {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID", "SLURM_STEP_ID"}};

constexpr int most_ranks = 1 << 20, most_port = 65535, most_seconds = 86400;

// Not those that systems give to whoever connects (from 32768 on).
constexpr int first_port = 20000, derived_ports = 10000, ports_tried = 8;

// Where all are on one machine, or Slurm says which is the first.
std::string host_by_launcher(const Naming& naming, int size) {
  const std::string here = "127.0.0.1";
  if (std::string_view(naming.rank) == "SLURM_PROCID") {
    const std::string nodes = first_of_nodes(text_of("SLURM_STEP_NODELIST"));
    return text_of("SLURM_STEP_NUM_NODES") == "1" || nodes.empty() ? here : nodes;
  }
  for (const char* local : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    if (text_of(local) == std::to_string(size)) return here;
  return {};
}

}  // namespace

std::string first_of_nodes(const std::string& list) {
  const std::size_t end = list.find_first_of(",[");
  std::string first = list.substr(0, end);
  if (end == std::string::npos || list[end] == ',') return first;
  return first + list.substr(end + 1, list.find_first_of(",-]", end) - end - 1);
}

std::optional<MeetingPlace> meeting_place_of_environment() {
  for (const Naming& naming : namings) {
    if (text_of(naming.rank).empty() || text_of(naming.size).empty()) continue;
    MeetingPlace place;
    place.size = number_of(naming.size, 1, most_ranks);
    place.rank = number_of(naming.rank, 0, place.size - 1);
    if (place.size == 1) continue;
    place.job = text_of(naming.job) + "." + text_of(naming.step);
    place.host = text_of("MASTER_ADDR");
    if (place.host.empty()) place.host = host_by_launcher(naming, place.size);
    if (place.host.empty())
      throw usage_error(
          "the environment says that there are {} ranks, but not where: set MASTER_ADDR to the machine of "
          "rank "
          "0, and MASTER_PORT to a number",
          place.size);
    if (!text_of("MASTER_PORT").empty()) {
      place.port = number_of("MASTER_PORT", 1, most_port - 1) + 1;
    } else if (place.job == ".") {
      throw usage_error(
          "the environment says that there are {} ranks, but not where they meet: set MASTER_PORT to a "
          "number",
          place.size);
    } else {
      place.port = first_port + static_cast<int>(std::hash<std::string>()(place.job) % derived_ports);
      place.ports = ports_tried;
    }
    if (!text_of("LARMOR_MEETING_SECONDS").empty())
      place.seconds = number_of("LARMOR_MEETING_SECONDS", 1, most_seconds);
    return place;
  }
  return std::nullopt;
}

}  // namespace larmor

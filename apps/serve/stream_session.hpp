#pragma once

#include <larmor/apps/serve/messages_ahead.hpp>
#include <larmor/apps/serve/recipes.hpp>
#include <larmor/apps/serve/session_log.hpp>
#include <larmor/core/context.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/protocol.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace larmor::app {

/// Options of one session.
struct StreamOptions {
  std::string recipes;   ///< folder; empty: built-in recipes
  std::string record;    ///< folder for recordings and noise measurements; empty: none are saved
  std::string session;   ///< its name in the log and in names of recordings
  double seconds = 300;  ///< without data from the client, after which the session ends
};

/// One MRD session: receives messages until the client closes, reconstructs images as soon as their readouts
/// are complete, and sends them in order. Images are distinguished by slice, contrast, phase, repetition and
/// set. Those of a repetition are complete when a readout of another repetition arrives, at the flags last in
/// repetition and last in measurement, and at the end of the stream; the flag last in slice completes the
/// image with its own counters. The limits in the header are not trusted. Options that couple images
/// (windows, bins, bases, terms across frames) wait for the end. Noise and calibration readouts apply to
/// every later image. λ is found for the first images, and kept together with everything else that the images
/// of a protocol share, until new noise or calibration readouts arrive.
class StreamSession {
 public:
  /// References are borrowed.
  StreamSession(const StreamOptions& options, MessagesAhead& messages, mrd::MessageWriter writer,
                Context& ctx, const SessionLog& log);

  /// Runs until the client closes or the stream ends, then finishes what is left. Errors are sent as text,
  /// followed by close. Returns true if there were no errors.
  bool run();

 private:
  void take_messages();
  bool take(mrd::Message& message);
  void use(Recipe recipe);
  void take_text(const std::string& text);
  void take(mrd::Acquisition acquisition);
  void require_memory(const mrd::Acquisition& acquisition);
  void complete(const ImageCounters* which);
  bool is_late(const std::vector<mrd::Acquisition>& readouts);
  void reconstruct_and_send(const std::vector<mrd::Acquisition>& readouts);
  Reconstruction reconstruct(const std::vector<mrd::Acquisition>& readouts);
  void keep_lambda(const ReconstructionReport& report);
  void send(const Reconstruction& result, const std::vector<mrd::Acquisition>& readouts);
  void store_noise();
  std::string noise_file(const std::string& id) const;
  void fail(const std::string& message);

  const StreamOptions& options_;
  MessagesAhead& messages_;
  mrd::MessageWriter writer_;
  Context& ctx_;
  const SessionLog& log_;
  Recipes recipes_;
  Recipe recipe_;
  bool waits_for_end_ = false;  // the recipe's options couple images
  std::string header_;
  std::vector<mrd::Acquisition> fixed_;    // noise and calibration
  std::vector<mrd::Acquisition> pending_;  // of incomplete images
  std::size_t bytes_ = 0;                  // of both
  std::vector<ImageCounters> done_;        // images of the latest repetition that a flag has completed
  std::size_t imaging_ = 0, skipped_ = 0, compressed_ = 0, images_ = 0;
  std::size_t late_ = 0;  // repetitions skipped in real time
  /// Series by matrix, field of view in µm and channels: all images of one series have the same geometry.
  std::map<std::vector<long>, std::pair<std::uint16_t, std::uint16_t>> series_;
  std::shared_ptr<Protocol> protocol_ = std::make_shared<Protocol>();
  double scale_ = 0;  // of integer pixels, from the first images
  bool well_ = true, wants_noise_ = false, foreign_config_ = false;
};

}  // namespace larmor::app

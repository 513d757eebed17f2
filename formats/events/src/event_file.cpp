#include "letterpress/events/event_file.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <protozero/pbf_writer.hpp>

namespace letterpress {
namespace {

using protozero::pbf_writer;

// Fields of Event, SessionLog, Summary and Summary.Value. Written by hand with protozero:
// TensorBoard's own writer is Python, and TensorFlow's C++ one is TensorFlow.
constexpr protozero::pbf_tag_type kEventTime = 1, kEventStep = 2, kEventVersion = 3,
                                  kEventSummary = 5, kEventSession = 7;
constexpr protozero::pbf_tag_type kSessionStatus = 1, kSummaryValue = 1, kValueTag = 1,
                                  kValueNumber = 2;
constexpr std::int32_t kSessionStart = 1;

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 255);
  return text;
}

// Rotated and shifted as in TFRecord, because a checksum of bytes that hold their own checksum is
// weak.
std::string masked_sum(std::string_view bytes) {
  const std::uint32_t sum = crc32c(bytes);
  return little_endian((sum >> 15 | sum << 17) + 0xA282EAD8U, 4);
}

std::string record(const std::string& content) {
  const std::string length = little_endian(content.size(), 8);
  return length + masked_sum(length) + content + masked_sum(content);
}

template <class Fill>
std::string event(std::int64_t step, Fill&& fill) {
  std::string content;
  pbf_writer message(content);
  message.add_double(kEventTime, now_s());
  message.add_int64(kEventStep, step);
  fill(message);
  return record(content);
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] ? name.data() : "localhost";
}

// Readers take the files of a folder by name.
std::filesystem::path new_name(const std::filesystem::path& folder) {
  const std::string seconds = std::to_string(static_cast<std::int64_t>(now_s()));
  const std::string name = "events.out.tfevents." +
                           std::string(seconds.size() < 10 ? 10 - seconds.size() : 0, '0') +
                           seconds + "." + host_name() + "." + std::to_string(getpid()) + ".";
  for (int number = 0;; ++number) {
    const std::filesystem::path file = folder / (name + std::to_string(number));
    if (!std::filesystem::exists(file)) return file;
  }
}

}  // namespace

EventFile::EventFile(std::filesystem::path folder, std::int64_t resumed_at)
    : folder_(std::move(folder)), resumed_at_(resumed_at) {}

void EventFile::open() {
  make_folders(folder_);
  file_ = File::create(new_name(folder_));
  std::string records =
      event(0, [](pbf_writer& message) { message.add_string(kEventVersion, "brain.Event:2"); });
  if (resumed_at_ > 0) {
    // Readers drop what they have of this step and later ones.
    records += event(resumed_at_ + 1, [](pbf_writer& message) {
      pbf_writer session(message, kEventSession);
      session.add_enum(kSessionStatus, kSessionStart);
    });
  }
  write(records);
}

void EventFile::write(std::string_view records) {
  file_.write_at(size_, std::as_bytes(std::span(records)));
  size_ += static_cast<std::int64_t>(records.size());
}

void EventFile::append(std::int64_t step, std::span<const Scalar> scalars) {
  if (!file_) open();
  write(event(step, [&](pbf_writer& message) {
    pbf_writer summary(message, kEventSummary);
    for (const Scalar& scalar : scalars) {
      pbf_writer value(summary, kSummaryValue);
      value.add_string(kValueTag, scalar.tag);
      value.add_float(kValueNumber, static_cast<float>(scalar.value));
    }
  }));
}

}  // namespace letterpress

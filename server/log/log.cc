#include "parity/log/log.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "format.h"
#include "spdlog/details/log_msg.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace parity::log {
namespace {

// Of the line that this thread is writing.
thread_local const std::vector<Field>* fields_of_line = nullptr;

const std::vector<Field>& Fields() {
  static const std::vector<Field> kNone;
  return fields_of_line == nullptr ? kNone : *fields_of_line;
}

absl::string_view LevelOf(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return "debug";
    case spdlog::level::info:
      return "info";
    case spdlog::level::warn:
      return "warn";
    case spdlog::level::err:
    case spdlog::level::critical:
    case spdlog::level::off:
    case spdlog::level::n_levels:
      return "error";
  }
  return "error";
}

absl::string_view View(spdlog::string_view_t text) { return {text.data(), text.size()}; }

class TextFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    begin_.format(message, to);
    std::string text;
    AppendLine(View(message.payload), text);
    for (const Field& field : Fields()) {
      if (field.value.empty()) continue;
      absl::StrAppend(&text, " ", field.name, "=");
      AppendQuoted(field.value, text);
    }
    text += '\n';
    to.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<TextFormatter>();
  }

 private:
  spdlog::pattern_formatter begin_{"%Y-%m-%dT%H:%M:%S.%e%z %l ", spdlog::pattern_time_type::local,
                                   ""};
};

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    time_.format(message, to);
    std::string text = absl::StrCat("\",\"level\":\"", LevelOf(message.level), "\",\"message\":");
    AppendJson(View(message.payload), text);
    for (const Field& field : Fields()) {
      if (field.value.empty()) continue;
      absl::StrAppend(&text, ",\"", field.name, "\":");
      AppendJson(field.value, text);
    }
    text += "}\n";
    to.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }

 private:
  spdlog::pattern_formatter time_{"{\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ",
                                  spdlog::pattern_time_type::utc, ""};
};

}  // namespace

std::unique_ptr<spdlog::formatter> MakeFormatter(Format format) {
  switch (format) {
    case Format::kText:
      return std::make_unique<TextFormatter>();
    case Format::kJson:
      return std::make_unique<JsonFormatter>();
  }
  return nullptr;
}

void Start(Format format, spdlog::level::level_enum level) {
  auto logger = std::make_shared<spdlog::logger>("parityd",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(MakeFormatter(format));
  logger->set_level(level);
  logger->flush_on(level);
  spdlog::set_default_logger(std::move(logger));
}

void Write(spdlog::level::level_enum level, absl::string_view message,
           const std::vector<Field>& fields) {
  if (!spdlog::should_log(level)) return;
  fields_of_line = &fields;
  spdlog::log(level, spdlog::string_view_t(message.data(), message.size()));
  fields_of_line = nullptr;
}

}  // namespace parity::log

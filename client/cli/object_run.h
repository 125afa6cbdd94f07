// What the commands on objects share: a coder, an end when a signal comes, and a progress bar.
#ifndef PARITY_CLI_OBJECT_RUN_H_
#define PARITY_CLI_OBJECT_RUN_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "coder_options.h"
#include "output.h"
#include "parity/client/client.h"
#include "parity/shardfile/run_options.h"

namespace parity::cli {

class ObjectRun {
 public:
  // INVALID_ARGUMENT, naming the option.
  static absl::StatusOr<ObjectRun> Start(const CoderOptions& coder, const OutputOptions& output);

  client::Coder& coder() { return *client_; }
  // For an operation, whose progress is shown if it should be. The stripes lie in memory that the
  // server shares if there is any. Valid as long as this object.
  shardfile::RunOptions Options() const;

 private:
  ObjectRun(std::unique_ptr<client::Client> client, bool shows_progress)
      : client_(std::move(client)), shows_progress_(shows_progress) {}

  std::unique_ptr<client::Client> client_;
  bool shows_progress_;
};

}  // namespace parity::cli

#endif  // PARITY_CLI_OBJECT_RUN_H_

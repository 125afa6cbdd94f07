#include "object_run.h"

#include "interrupt.h"
#include "progress_bar.h"
#include "terminal.h"

namespace parity::cli {

absl::StatusOr<ObjectRun> ObjectRun::Start(const CoderOptions& coder, const OutputOptions& output) {
  absl::StatusOr<std::unique_ptr<client::Client>> client = MakeCoder(coder, output.quiet);
  if (!client.ok()) return client.status();
  return ObjectRun(*std::move(client), output.prints_lines() && HasTerminal());
}

shardfile::RunOptions ObjectRun::Options() const {
  shardfile::RunOptions run;
  run.cancellation = &Interruption();
  run.traceparent = Traceparent();
  client::Client* const client = client_.get();
  run.allocate = [client](size_t bytes) { return client->Allocate(bytes); };
  if (shows_progress_) {
    run.progress = [bar = std::make_shared<ProgressBar>()](uint64_t done, uint64_t total) {
      bar->Show(done, total);
    };
  }
  return run;
}

}  // namespace parity::cli

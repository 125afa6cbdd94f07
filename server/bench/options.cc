#include "options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "parity/kernels/dispatch.h"
#include "parity/wire/limits.h"
#include "row_filter.h"

namespace parity::bench {
namespace {

constexpr int kUsageError = 2;

constexpr char kHelp[] =
    R"(A row is one way to get parity from the server. Its name is what --filter sees:

  unix/unary/shard=1048576/stripes=1/connections=1   Encode calls, some outstanding
  tcp/stream/shard=4096/stripes=64/connections=2     a Process stream on each connection, 64 stripes
                                                     in a message, some messages outstanding

GB/s are 10^9 bytes of data shards a second. parityd is started for the run, on a Unix socket and on
a TCP port of 127.0.0.1. The load is gRPC with raw messages: caller's memory by reference, packed
shards, a completion queue and a thread for each connection.

Two yardsticks take turns with it in every round, each server a process of its own:
  socket   a program on bare sockets that moves the same bytes in the same pattern over the same
           transport and computes the same parity with the same kernels: as many requests are
           outstanding, each is one write, and so is its reply. ratio is to it
  naive    generated messages, the callback API and gRPC's stock settings, on both sides

Rates are medians of the rounds; p50 and p99 are of requests, over all rounds. CPU s/GB is what the
server's process used, user and system, for 10^9 bytes of data shards. The length of every answer is
checked, and the bytes of the first of each connection and round and of every 4096th.

With --shm the rows are of shared memory, and their names are as in

  shm/xor4+1/shard=65536/stripes=16/depth=4/walked   jobs of 16 stripes, 4 of them under way

  reused    as many slots of the region as jobs under way, again and again
  walked    256 MiB of data shards, one slot after the other
  written   as reused; a word of every cache line of the sources is written before a job, and one of
            every line of the parity read after it, by the yardstick too
  paused    as reused, after a pause of 2 ms in which both sides fall asleep

parityd has one worker, and the client another core. local, the yardstick that ratio is to, is what
the client's thread does alone by the same kernels, with the same slots in the same order; reading is
how fast it reads these slots at all, parity and all. p50 and p99 are of jobs, from when the first of
those that are published together is submitted; gRPC p50 is of unary calls for the same stripe. Every
slot's parity is checked once by scalar kernels before anything is measured, and then that of the
first job of each round and of every 4096th.

Scenarios, each instead of the grid, over the Unix socket:
  mixed     4 KiB calls, one at a time, alone and beside a connection that streams 4 MiB shards
  halfload  4 KiB stripes at half of the rate that was just measured as the capacity; latencies
            count from when a request was meant to be sent, and the client never sleeps
  overload  ten times as many calls outstanding as keep the server busy, with --max-held; refused
            calls come again when the server says. A call that fails otherwise fails the run
  idle      --connections connections, each after one call
  workers   two streams of 256 KiB shards to parityd with one worker and with two. Where client and
            server share the cores the ratio of rates is bounded by that: see the ratio of work done
            for a second of the server's CPU time

With --json every row, or the scenario, is an object on a line of its own, with null for what was not
measured; anything else goes to standard error.

Exit codes: 0 done, 1 a byte is wrong or something could not be measured, 2 bad command line.

Examples:
  parity_transport_bench --quick
  parity_transport_bench --filter='^unix/stream/shard=262144/' --seconds=2
  parity_transport_bench --json >rows.json
  parity_transport_bench --shm --quick
  parity_transport_bench --scenario=overload)";

// As they stand on the command line.
struct Arguments {
  bool json = false;
  bool quick = false;
  bool shm = false;
  std::optional<double> spin_us;
  std::string filter;
  std::optional<double> seconds;
  std::optional<int> rounds;
  int depth = 0;
  std::string code = "xor";
  uint32_t data = 4;
  std::optional<uint32_t> parity;
  std::string kernels = "auto";
  std::string server;
  std::vector<std::string> server_options;
  std::string subject = "parityd";
  std::string scenario;
  int connections = 1000;
  uint64_t max_held_bytes = uint64_t{128} << 20;
  std::string role;
  int gather = 1;
  std::vector<std::string> listen;
  NaiveClientArguments naive_client;
};

// What one row, and one step of a scenario, takes by default.
constexpr double kSeconds = 0.5;
constexpr int kRounds = 5;
constexpr int kQuickRounds = 3;
constexpr double kOverloadSeconds = 60;

template <class Value>
struct Named {
  absl::string_view name;
  Value value;
};
constexpr Named<Scenario> kScenarios[] = {{"mixed", Scenario::kMixed},
                                          {"halfload", Scenario::kHalfLoad},
                                          {"overload", Scenario::kOverload},
                                          {"idle", Scenario::kIdle},
                                          {"workers", Scenario::kWorkers}};
constexpr Named<Subject> kSubjects[] = {{"parityd", Subject::kParityd}, {"naive", Subject::kNaive}};
constexpr Named<Role> kRoles[] = {{"socket-server", Role::kSocketServer},
                                  {"naive-server", Role::kNaiveServer},
                                  {"naive-client", Role::kNaiveClient}};

// Replaces `value` by that of the name; leaves it if the name is empty. INVALID_ARGUMENT, naming
// the option and what it takes, if there is none of the name.
template <class Value, size_t kCount>
absl::Status Choose(absl::string_view option, const Named<Value> (&choices)[kCount],
                    absl::string_view name, Value& value) {
  if (name.empty()) return absl::OkStatus();
  for (const Named<Value>& choice : choices) {
    if (choice.name != name) continue;
    value = choice.value;
    return absl::OkStatus();
  }
  const auto append_name = [](std::string* out, const Named<Value>& choice) {
    absl::StrAppend(out, choice.name);
  };
  return absl::InvalidArgumentError(absl::StrCat("--", option, ": got ", name, ", want one of ",
                                                 absl::StrJoin(choices, ", ", append_name)));
}

void AddOptions(CLI::App& app, Arguments& arguments) {
  app.add_flag("--json", arguments.json, "Print rows as JSON");
  CLI::Option* quick = app.add_flag("--quick", arguments.quick,
                                    "Measure the rows that are quoted, in less than a minute");
  CLI::Option* filter =
      app.add_option("--filter", arguments.filter,
                     "Measure only the rows in whose name this extended regular expression is\n"
                     "found")
          ->type_name("REGEX");
  CLI::Option* shm = app.add_flag("--shm", arguments.shm,
                                  "Measure the rows of shared memory instead of those of gRPC");
  app.add_option("--spin", arguments.spin_us,
                 "How long the client of shared memory looks for completions before it sleeps.\n"
                 "Default: as the client library does")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("MICROSECONDS")
      ->needs(shm);
  app.add_option("--scenario", arguments.scenario,
                 "Run this instead of the grid: mixed, halfload, overload, idle or workers")
      ->type_name("NAME")
      ->excludes(quick)
      ->excludes(shm)
      ->excludes(filter);
  app.add_option("--seconds", arguments.seconds,
                 "How long each program has in a round. Default: 0.5; for the overload 60")
      ->check(CLI::Range(0.01, 3600.0))
      ->type_name("SECONDS");
  app.add_option("--rounds", arguments.rounds, "Rounds of each row. Default: 5, with --quick 3")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--depth", arguments.depth,
                 "Requests outstanding on each connection. Default: 4 MiB of data shards, but 2\n"
                 "to 32 requests")
      ->check(CLI::Range(1, 1024))
      ->excludes(shm)
      ->type_name("N");
  app.add_option("--code", arguments.code, "xor, raid6 or rs")
      ->excludes(shm)
      ->type_name("CODE")
      ->capture_default_str();
  app.add_option("--data", arguments.data, "Data shards of a stripe")
      ->excludes(shm)
      ->type_name("K")
      ->capture_default_str();
  app.add_option("--parity", arguments.parity,
                 "Parity shards of a stripe. Default: 1 for xor, else 2")
      ->excludes(shm)
      ->type_name("M");
  app.add_option("--kernels", arguments.kernels,
                 "Kernels of every server; auto: what the CPU runs best")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--server", arguments.server,
                 "The parityd to measure. Default: that beside this program")
      ->type_name("PATH");
  app.add_option("--server-option", arguments.server_options,
                 "An option for parityd, as --server-option=--workers=1; repeatable")
      ->type_name("OPTION");
  app.add_option("--subject", arguments.subject,
                 "parityd; or naive, to check the bench itself: the tuned client on the naive\n"
                 "server")
      ->excludes(shm)
      ->type_name("NAME");
  app.add_option(
         "--gather", arguments.gather,
         "Messages that the bare-socket programs put into one write, at most. More than one\n"
         "makes small ones faster, as it would any program that can afford the delay")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--connections", arguments.connections, "Connections of the idle scenario")
      ->check(CLI::Range(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-held", arguments.max_held_bytes,
                 "What parityd may hold in the overload scenario, if it can be told")
      ->type_name("BYTES")
      ->capture_default_str();
  // Of the programs that the bench runs beside itself.
  app.add_option("--role", arguments.role)->group("");
  app.add_option("--listen", arguments.listen)->group("");
  app.add_option("--target", arguments.naive_client.target)->group("");
  app.add_option("--mode", arguments.naive_client.mode)->group("");
  app.add_option("--shard-bytes", arguments.naive_client.shard_bytes)->group("");
  app.add_option("--stripes", arguments.naive_client.stripes)->group("");
}

absl::StatusOr<codec::Geometry> GeometryOf(const Arguments& arguments) {
  const absl::StatusOr<codec::Code> code = codec::CodeFromName(arguments.code);
  if (!code.ok()) return absl::InvalidArgumentError(absl::StrCat("--", code.status().message()));
  const uint32_t parity = arguments.parity.value_or(*code == codec::Code::kXor ? 1 : 2);
  absl::StatusOr<codec::Geometry> geometry = codec::Geometry::Make(*code, arguments.data, parity);
  if (!geometry.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--code, --data, --parity: ", geometry.status().message()));
  }
  return geometry;
}

// What fits no message cannot be measured.
std::vector<Row> RowsThatFit(const std::vector<Row>& rows, const codec::Geometry& geometry) {
  std::vector<Row> fitting;
  for (const Row& row : rows) {
    const Job job = {geometry, row.shard_bytes, row.stripes};
    if (std::max(job.source_bytes(), job.parity_bytes()) < wire::kMaxMessageBytes) {
      fitting.push_back(row);
    } else {
      absl::FPrintF(stderr, "left out: %s does not fit a message\n", NameOf(row));
    }
  }
  return fitting;
}

absl::StatusOr<Options> OptionsFrom(const Arguments& arguments) {
  absl::StatusOr<codec::Geometry> geometry = GeometryOf(arguments);
  if (!geometry.ok()) return geometry.status();
  const absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable(arguments.kernels);
  if (!table.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--kernels: ", table.status().message()));
  }
  Scenario scenario = Scenario::kNone;
  Subject subject = Subject::kParityd;
  Role role = Role::kBench;
  absl::Status chosen = Choose("scenario", kScenarios, arguments.scenario, scenario);
  chosen.Update(Choose("subject", kSubjects, arguments.subject, subject));
  chosen.Update(Choose("role", kRoles, arguments.role, role));
  if (!chosen.ok()) return chosen;
  absl::StatusOr<std::vector<Row>> rows = std::vector<Row>();
  absl::StatusOr<std::vector<ShmRow>> shm_rows = std::vector<ShmRow>();
  if (arguments.shm) {
    shm_rows = RowsFoundBy(arguments.filter, arguments.quick ? QuickShmGrid() : FullShmGrid());
  } else {
    rows = RowsFoundBy(arguments.filter, arguments.quick ? QuickGrid() : FullGrid());
  }
  if (!rows.ok()) return rows.status();
  if (!shm_rows.ok()) return shm_rows.status();
  std::unique_ptr<ScratchDirectory> scratch;
  if (role == Role::kBench) {
    absl::StatusOr<std::unique_ptr<ScratchDirectory>> made = ScratchDirectory::Make();
    if (!made.ok()) return made.status();
    scratch = *std::move(made);
  }

  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string server =
      arguments.server.empty() ? (self.parent_path() / "parityd").string() : arguments.server;
  if (role == Role::kBench && access(server.c_str(), X_OK) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--server: got ", server, ", which is no program that can be run"));
  }
  const bool is_overload = scenario == Scenario::kOverload;
  Options options(
      Setup{self.string(), server, arguments.server_options, *geometry, *table,
            absl::Seconds(arguments.seconds.value_or(is_overload ? kOverloadSeconds : kSeconds)),
            arguments.rounds.value_or(arguments.quick ? kQuickRounds : kRounds), arguments.depth,
            arguments.connections, arguments.json, subject, arguments.gather, std::move(scratch)});
  options.shm_rows = *std::move(shm_rows);
  if (arguments.spin_us.has_value()) options.spin = absl::Microseconds(*arguments.spin_us);
  options.scenario = scenario;
  options.max_held_bytes = arguments.max_held_bytes;
  options.role = role;
  options.naive_client = arguments.naive_client;
  for (const std::string& text : arguments.listen) {
    absl::StatusOr<endpoint::Endpoint> endpoint = endpoint::Parse("--listen", text);
    if (!endpoint.ok()) return endpoint.status();
    options.listen.push_back(*endpoint);
  }
  if (role == Role::kBench && scenario == Scenario::kNone)
    options.rows = RowsThatFit(*rows, *geometry);
  return options;
}

int Fail(absl::string_view why) {
  absl::FPrintF(stderr, "parity_transport_bench: %s\n", why);
  return kUsageError;
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Measures parityd over gRPC beside bare sockets.", "parity_transport_bench");
  app.footer(kHelp);
  AddOptions(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // of help
    return app.exit(request);
  } catch (const CLI::Error& error) {
    return Fail(absl::StrCat(error.what(), " (see --help)"));
  }
  absl::StatusOr<Options> options = OptionsFrom(arguments);
  if (!options.ok()) return Fail(options.status().message());
  return *std::move(options);
}

}  // namespace parity::bench

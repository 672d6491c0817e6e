// The cases that oneTBB's flow graph can do. A join_node in front of a function_node is a reaction, and messages are
// molecules. It is a separate program, so that nothing of Crucible needs oneTBB or C++. `Benchmarks/run --peers` builds
// it with the benchmarks' own clock, crew and tallies, and runs it in turn with the others.
//
//   onetbb CASE THREADS ROUNDS    prints nanoseconds, reactions, threads seen, overlap and processors busy of one
//                                 sample, after a warm-up that does not count; ends with code 1 if a result is wrong
//   onetbb --list                 prints the cases
//
// counter, join2, join3: the THREADS threads of the arena put the messages, 64 rounds at a time, and run the tasks that
// become ready in between. This suits oneTBB best: a thread outside the arena would pile up tasks until it waits.
// Bodies have the policy `lightweight`, which is the closest to inline. chain: the same threads pass one message on.
// Verified by the counts and sums of the bodies' values.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>

extern "C" {
#include "harness_clock.h"
#include "harness_crew.h"
#include "harness_sample.h"
#include "harness_tally.h"
}

namespace flow = tbb::flow;

namespace {

constexpr uint64_t PORTION = 64;

// A graph that is set up once, the messages of a round, and the values that the bodies must have got after `rounds`.
struct Experiment {
  flow::graph graph;
  virtual ~Experiment() = default;
  virtual void run_round(uint64_t round) = 0;
  virtual uint64_t sum_of(uint64_t rounds) = 0;
  virtual void check(harness_sample *, uint64_t) {}
};

uint64_t numbers_below(uint64_t count) { return count * (count - 1) / 2; }

struct Join2 final : Experiment {
  using Pair = std::tuple<uint64_t, uint64_t>;
  flow::join_node<Pair, flow::queueing> join{graph};
  flow::function_node<Pair, flow::continue_msg, flow::lightweight> body{
      graph, flow::unlimited, [](const Pair &pair) noexcept {
        harness_tally_add_stamped(std::get<0>(pair) + std::get<1>(pair));
        return flow::continue_msg();
      }};

  Join2() { flow::make_edge(join, body); }
  void run_round(uint64_t round) override {
    flow::input_port<0>(join).try_put(round);
    flow::input_port<1>(join).try_put(round);
  }
  uint64_t sum_of(uint64_t rounds) override { return 2 * numbers_below(rounds); }
};

struct Join3 final : Experiment {
  using Triple = std::tuple<uint64_t, uint64_t, uint64_t>;
  flow::join_node<Triple, flow::queueing> join{graph};
  flow::function_node<Triple, flow::continue_msg, flow::lightweight> body{
      graph, flow::unlimited, [](const Triple &triple) noexcept {
        harness_tally_add_stamped(std::get<0>(triple) + std::get<1>(triple) + std::get<2>(triple));
        return flow::continue_msg();
      }};

  Join3() { flow::make_edge(join, body); }
  void run_round(uint64_t round) override {
    flow::input_port<0>(join).try_put(round);
    flow::input_port<1>(join).try_put(round);
    flow::input_port<2>(join).try_put(round);
  }
  uint64_t sum_of(uint64_t rounds) override { return 3 * numbers_below(rounds); }
};

// The number is the message of the first port. The body puts it again.
struct Counter final : Experiment {
  using Pair = std::tuple<uint64_t, char>;
  flow::join_node<Pair, flow::queueing> join{graph};
  uint64_t last = 0;  // by the body that has the number
  flow::function_node<Pair, flow::continue_msg, flow::lightweight> body{
      graph, flow::unlimited, [this](const Pair &pair) noexcept {
        uint64_t next = std::get<0>(pair) + 1;
        harness_tally_add_stamped(0);
        last = next;
        flow::input_port<0>(join).try_put(next);
        return flow::continue_msg();
      }};
  uint64_t before = 0;

  Counter() {
    flow::make_edge(join, body);
    flow::input_port<0>(join).try_put(0);
  }
  void run_round(uint64_t) override { flow::input_port<1>(join).try_put(0); }
  uint64_t sum_of(uint64_t) override { return 0; }
  void check(harness_sample *sample, uint64_t rounds) override {
    harness_sample_expect(sample, "end value", before + rounds, last);
    before = last;
  }
};

struct Chain {
  flow::graph graph;
  flow::function_node<uint64_t, flow::continue_msg> a{graph, flow::unlimited, [this](uint64_t n) {
    harness_tally_add_stamped(n);
    if (n > 0) b.try_put(n - 1);
    return flow::continue_msg();
  }};
  flow::function_node<uint64_t, flow::continue_msg> b{graph, flow::unlimited, [this](uint64_t n) {
    harness_tally_add_stamped(n);
    if (n > 0) a.try_put(n - 1);
    return flow::continue_msg();
  }};
};

// Times `start` and the work of the graph that follows, with the bodies' tallies.
template <class Start>
void measure(flow::graph &graph, uint64_t rounds, uint64_t sum, harness_sample *sample, const Start &start) {
  harness_tally_reset();
  uint64_t cpu = harness_process_cpu();
  sample->began = harness_now();
  start();
  graph.wait_for_all();
  sample->nanoseconds = harness_now() - sample->began;
  sample->busy = static_cast<double>(harness_process_cpu() - cpu) / static_cast<double>(sample->nanoseconds);
  harness_tally_overlap(sample);
  sample->reactions = rounds;
  harness_tally total = harness_tally_total();
  harness_sample_expect(sample, "reactions", rounds, total.count);
  harness_sample_expect(sample, "sum of the values", sum, total.sum);
}

int sample_of(const std::function<void(uint64_t, harness_sample *)> &measure, const char *name, uint64_t rounds) {
  harness_sample warm_up{}, sample{};
  measure(rounds / 4 + 1, &warm_up);
  measure(rounds, &sample);
  for (const harness_sample *one : {&warm_up, &sample}) {
    if (!harness_sample_failed(one)) continue;
    std::fprintf(stderr, "onetbb: %s: %s\n", name, harness_sample_failure(one));
    return 1;
  }
  std::printf("%llu %llu %u %.4f %.3f\n", static_cast<unsigned long long>(sample.nanoseconds),
              static_cast<unsigned long long>(sample.reactions), sample.threads, sample.overlap, sample.busy);
  return 0;
}

template <class Kind>
int sample_of_inline(const char *name, uint64_t rounds) {
  Kind experiment;
  return sample_of(
      [&](uint64_t count, harness_sample *sample) {
        measure(experiment.graph, count, experiment.sum_of(count), sample, [&] {
          tbb::parallel_for(tbb::blocked_range<uint64_t>(0, count, PORTION), [&](const auto &range) {
            for (uint64_t round = range.begin(); round != range.end(); round++) experiment.run_round(round);
          });
        });
        experiment.check(sample, count);
      },
      name, rounds);
}

int sample_of_chain(const char *name, uint64_t rounds) {
  Chain chain;
  return sample_of(
      [&](uint64_t count, harness_sample *sample) {
        measure(chain.graph, count, numbers_below(count), sample, [&] { chain.a.try_put(count - 1); });
      },
      name, rounds);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    std::puts("counter\njoin2\njoin3\nchain");
    return 0;
  }
  char *end_of_threads = nullptr, *end_of_rounds = nullptr;
  size_t threads = argc == 4 ? std::strtoul(argv[2], &end_of_threads, 10) : 0;
  uint64_t rounds = argc == 4 ? std::strtoull(argv[3], &end_of_rounds, 10) : 0;
  if (threads == 0 || rounds == 0 || *end_of_threads || *end_of_rounds) {
    std::fprintf(stderr, "usage: onetbb CASE THREADS ROUNDS | --list\n");
    return 2;
  }
  const char *name = argv[1];
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  harness_watch(name);
  if (std::strcmp(name, "counter") == 0) return sample_of_inline<Counter>(name, rounds);
  if (std::strcmp(name, "join2") == 0) return sample_of_inline<Join2>(name, rounds);
  if (std::strcmp(name, "join3") == 0) return sample_of_inline<Join3>(name, rounds);
  if (std::strcmp(name, "chain") == 0) return sample_of_chain(name, rounds);
  std::fprintf(stderr, "onetbb: no case %s; --list prints them\n", name);
  return 2;
}

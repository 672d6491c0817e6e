#define _GNU_SOURCE  // gettid
#include "CTask.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

// The runtime's functions are weak: a toolchain without them still links, and its Swift code does not call them.
#define RUNTIME extern __attribute__((swiftcall, weak))

// The runtime has it for `preconditionIsolated`. It takes the two words of a serial executor, and flags. Without a flag
// it aborts if a default actor's answer is no. With this flag it asks executors that can tell (SE-0471), and answers.
RUNTIME bool swift_task_isCurrentExecutorWithFlags(uintptr_t identity, uintptr_t implementation, uintptr_t flags);
enum { USE_IS_ISOLATING_CURRENT_CONTEXT = 4 };

bool crucible_task_is_on(uintptr_t identity, uintptr_t implementation) {
  return swift_task_isCurrentExecutorWithFlags(identity, implementation, USE_IS_ISOLATING_CURRENT_CONTEXT);
}

// The two words of the serial executor on which the thread runs. Both are 0 if there is none. The second is 0 for a
// default actor, which runs anywhere.
typedef struct {
  uintptr_t identity, implementation;
} executor;
RUNTIME executor swift_task_getCurrentExecutor(void);

bool crucible_task_is_on_own_executor(void) { return swift_task_getCurrentExecutor().implementation != 0; }

// The record lies in the task's own memory, which is a stack.
typedef __attribute__((swiftcall)) void handler(__attribute__((swift_context)) const void *context);
RUNTIME const void *swift_task_addCancellationHandler(handler *act, const void *context);
RUNTIME void swift_task_removeCancellationHandler(const void *record);

static __attribute__((swiftcall)) void act(__attribute__((swift_context)) const void *context) {
  const crucible_task_cancellation *cancellation = context;
  cancellation->act(cancellation->context);
}

const void *crucible_task_on_cancel(const crucible_task_cancellation *cancellation) {
  return swift_task_addCancellationHandler(act, cancellation);
}

void crucible_task_forget_cancel(const void *record) { swift_task_removeCancellationHandler(record); }

RUNTIME const void *swift_task_getCurrent(void);
RUNTIME void swift_task_cancel(const void *task);
RUNTIME bool swift_task_isCancelled(const void *task);

const void *crucible_task_current(void) { return swift_task_getCurrent(); }

bool crucible_task_is_cancelled(void) {
  const void *task = swift_task_getCurrent();
  return task && swift_task_isCancelled(task);
}

void crucible_task_cancel(const void *task) { swift_task_cancel(task); }

crucible_task_executor crucible_task_pool_executor;

// The two words of the executor that the current task prefers. Both are 0 if it prefers none.
RUNTIME executor swift_task_getPreferredTaskExecutor(void);

bool crucible_task_is_on_pools(void) {
  // A body that runs by an origin runs in a task that does not show the body's place.
  const crucible_task_thread *thread = &crucible_task_this_thread;
  if (thread->station || thread->run || crucible_task_is_on_own_executor()) return false;
  if (!swift_task_getCurrent()) return true;
  uintptr_t preferred = swift_task_getPreferredTaskExecutor().identity;
  return preferred == 0 || preferred == crucible_task_pool_executor.identity;
}
_Thread_local crucible_task_thread crucible_task_this_thread;

// The runtime calls these hooks, if they are set, instead of its own functions, which they get as their last argument.
#define HOOK extern __attribute__((weak, swiftcall))
typedef __attribute__((swiftcall)) void enqueue(void *job);
typedef __attribute__((swiftcall)) executor get_executor(void);
typedef __attribute__((swiftcall)) bool is_executor(executor executor);
HOOK void (*swift_task_enqueueGlobal_hook)(void *job, enqueue *original);
HOOK executor (*swift_task_getMainExecutor_hook)(get_executor *original);
HOOK bool (*swift_task_isMainExecutor_hook)(executor executor, is_executor *original);

static bool (*take)(void *job);
static executor main_executor;

static __attribute__((swiftcall)) void take_job(void *job, enqueue *original) {
  if (!crucible_task_this_thread.run || !take(job)) original(job);
}

static __attribute__((swiftcall)) executor get_main(get_executor *original) {
  return crucible_task_this_thread.run ? main_executor : original();
}

static __attribute__((swiftcall)) bool is_main(executor executor, is_executor *original) {
  return executor.identity == main_executor.identity || original(executor);
}

void crucible_task_redirect(bool (*function)(void *job), crucible_task_executor main) {
  take = function;
  main_executor = (executor){main.identity, main.implementation};
  swift_task_enqueueGlobal_hook = take_job;
  swift_task_getMainExecutor_hook = get_main;
  swift_task_isMainExecutor_hook = is_main;
}

// How the runtime lays an object out: what it keeps of each, then what the object stores.
struct object {
  uintptr_t header[2];
  __attribute__((swiftcall)) void (*code)(
      void *object, void *const *inputs, __attribute__((swift_context)) void *closure);
  void *closure;
};

void crucible_task_run(void *object, void *const *inputs) {
  const struct object *body = object;
  body->code(object, inputs, body->closure);
}

// The runtime has them for code that counts several references at once.
extern __attribute__((weak)) void *swift_nonatomic_retain_n(void *object, uint32_t count);
extern __attribute__((weak)) void swift_release_n(void *object, uint32_t count);

void crucible_task_retain_alone(void *object, uint32_t count) { swift_nonatomic_retain_n(object, count); }
void crucible_task_release_all(void *object, uint32_t count) { swift_release_n(object, count); }

static pthread_once_t once = PTHREAD_ONCE_INIT;
static cpu_set_t all_processors;

static void note_processors(void) {
  if (sched_getaffinity(getpid(), sizeof all_processors, &all_processors) != 0) CPU_ZERO(&all_processors);
}

int crucible_task_next_processor(void) {
  static _Atomic unsigned taken;
  pthread_once(&once, note_processors);
  int count = CPU_COUNT(&all_processors);
  if (count == 0) return -1;
  int left = (int)(taken++ % (unsigned)count), processor = 0;
  while (!CPU_ISSET(processor, &all_processors) || left-- > 0) processor++;
  return processor;
}

void crucible_task_leave_processor(void) { sched_setaffinity(0, sizeof all_processors, &all_processors); }

void crucible_task_stay_on(int processor) {
  pthread_once(&once, note_processors);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (processor >= 0 && processor < CPU_SETSIZE) CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);  // without a processor it fails, which changes nothing
}

int crucible_task_thread_number(void) { return gettid(); }

void crucible_task_thread_name(char name[_Nonnull 16]) {
  name[0] = 0;
  prctl(PR_GET_NAME, name);
}

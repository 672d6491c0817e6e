import Dispatch
import Glibc
import Synchronization

/// Threads that stay, and start each piece of work together.
final class Crew: @unchecked Sendable {
  private let count: Int
  private let starts: [DispatchSemaphore]
  private var work: (@Sendable (Int) -> Void)?
  private var parties = 0
  private let arrived = Atomic<Int>(0)
  private let left = Atomic<Int>(0)

  init(_ count: Int) {
    self.count = count
    starts = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    for index in 0..<count { spawn { self.serve(index) } }
  }

  /// The first `parties` threads get to work.
  func begin(_ parties: Int, _ work: @escaping @Sendable (Int) -> Void) {
    self.parties = parties
    self.work = work
    arrived.store(0, ordering: .sequentiallyConsistent)
    left.store(parties, ordering: .sequentiallyConsistent)
    for start in starts.prefix(parties) { start.signal() }
  }

  /// How many of them have not ended.
  var busy: Int { left.load(ordering: .acquiring) }

  /// Lets go of the work that is done.
  func forget() { work = nil }

  private func serve(_ index: Int) {
    while true {
      starts[index].wait()
      arrived.add(1, ordering: .acquiringAndReleasing)
      var looks = 0
      while arrived.load(ordering: .acquiring) < parties {
        looks += 1
        if looks % 1000 == 0 { nap() }
      }
      work!(index)
      left.subtract(1, ordering: .acquiringAndReleasing)
    }
  }
}

/// Sleeps and does not yield: on a busy machine a thread that yields gives its time to other programs.
func nap() { usleep(20) }

/// Starts a thread that nobody joins.
func spawn(_ work: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().work()
      return nil
    }, Unmanaged.passRetained(Box(work)).toOpaque())
  if error != 0 { fatalError("Histories: no thread: \(String(cString: strerror(error)))") }
  pthread_detach(thread)
}

import CTask

/// A loop that runs pieces of work one after the other on a thread of its own, as that of a UI toolkit: by this it becomes a
/// placement.
///
/// ```swift
/// final class GTKLoop: ReactionLoop {
///   var isCurrent: Bool { g_main_context_is_owner(nil) != 0 }
///   func enqueue(_ work: LoopWork) {
///     g_idle_add({ context in
///       Unmanaged<LoopWork>.fromOpaque(context!).takeRetainedValue().run()
///       return 0
///     }, Unmanaged.passRetained(work).toOpaque())
///   }
/// }
/// soup.react(page, on: .loop(GTKLoop())) { page in show(page) }
/// ```
///
/// A loop that ends drops what it has not run, and whatever comes later: work that is kept, and not run, keeps its soup from ever being
/// quiet, and its callers waiting.
public protocol ReactionLoop: AnyObject, Sendable {
  /// Whether the calling thread is the loop's, and may run a body at once.
  var isCurrent: Bool { get }

  /// Sees to it that the work is run once on the loop's thread, in the order in which it came. Called on any thread, in the
  /// middle of an injection: not to block, and not to run the work.
  func enqueue(_ work: LoopWork)
}

/// A piece of work for a loop: the body of a reaction, or the next part of an `async` one.
///
/// If it is dropped without having been run, because its loop is gone, a body that has not begun does not run any more: what it
/// would have consumed is destroyed, its callers get ``CallError/neverReplied``, and the soup's `onError` gets ``LoopGone``. An `async`
/// body that has begun goes on where the work was dropped.
public final class LoopWork: @unchecked Sendable {
  private let job: UnownedJob
  private let executor: LoopExecutor
  private var isDone = false

  fileprivate init(_ job: UnownedJob, _ executor: LoopExecutor) {
    self.job = job
    self.executor = executor
  }

  deinit {
    if isDone { return }
    let thread = crucible_task_current_thread()
    let before = thread.pointee.drops
    thread.pointee.drops = executor.address
    job.runSynchronously(on: executor.asUnownedTaskExecutor())
    crucible_task_current_thread().pointee.drops = before
  }

  /// Runs it: once, on the loop's thread.
  public func run() {
    if isDone { fatalError("Crucible: loop \(executor.label): a piece of work was run twice") }
    if crucible_task_current_thread().pointee.enqueues == executor.address {
      fatalError("Crucible: loop \(executor.label): a piece of work was run in the middle of enqueue")
    }
    isDone = true
    job.runSynchronously(on: executor.asUnownedTaskExecutor())
  }
}

/// The loop of a reaction dropped its body instead of running it.
public struct LoopGone: Error, Equatable, CustomStringConvertible {
  /// An error of this kind; all are equal.
  public init() {}

  public var description: String { "The loop on which the reaction is placed dropped it without running it." }
}

/// A loop.
final class LoopStation: TaskStation, @unchecked Sendable {
  private let loop: any ReactionLoop
  private let address: UnsafeRawPointer

  init(_ loop: any ReactionLoop) {
    self.loop = loop
    let executor = LoopExecutor(loop)
    address = executor.address
    super.init(executor, label: "loop \(type(of: loop))")
  }

  /// True for the first that asks in a piece of work: what it begins then is another.
  override func hasDropped() -> Bool {
    let thread = crucible_task_current_thread()
    if thread.pointee.drops != address { return false }
    thread.pointee.drops = nil
    return true
  }

  override var isCurrent: Bool { loop.isCurrent }
  override var isSerial: Bool { true }
  override var entersAtOnce: Bool { true }
}

/// Runs tasks on a loop.
private final class LoopExecutor: TaskExecutor {
  private let loop: any ReactionLoop

  init(_ loop: any ReactionLoop) { self.loop = loop }

  var label: String { "\(type(of: loop))" }
  var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  func enqueue(_ job: consuming ExecutorJob) {
    let thread = crucible_task_current_thread()
    let before = thread.pointee.enqueues
    thread.pointee.enqueues = address
    loop.enqueue(LoopWork(UnownedJob(job), self))
    crucible_task_current_thread().pointee.enqueues = before
  }
}

// The functions of the C library that this module uses, apart from CKernel. No other file of the module imports that
// library, because its name depends on the system.

import CKernel

#if canImport(Musl)
  import Musl

  private func noThread() -> pthread_t? { nil }
#else
  import Glibc

  private func noThread() -> pthread_t { 0 }
#endif

extension EngineError {
  /// The error of the system call that has just failed.
  init(_ what: @autoclosure () -> String) {
    let code = errno
    self.init(what(), code: code)
  }

  init(_ what: String, code: Int32) { self.init(.system, "\(what): \(String(cString: strerror(code)))") }
}

func processNumber() -> Int32 { getpid() }

func closeFile(_ number: Int32) { close(number) }
/// Ends the connection of a socket, and so the waits of all threads for it.
func shutSocket(_ number: Int32) { shutdown(number, Int32(SHUT_RDWR)) }
/// Blocks the thread for some milliseconds.
func pause(_ milliseconds: Int32) { poll(nil, 0, milliseconds) }

/// The clocks of the machine, in nanoseconds.
enum MachineClock {
  case monotonic, sinceBoot, timeOfDay

  var now: Int64 {
    var time = timespec()
    switch self {
    case .monotonic: clock_gettime(CLOCK_MONOTONIC, &time)
    case .sinceBoot: clock_gettime(CLOCK_BOOTTIME, &time)
    case .timeOfDay: clock_gettime(CLOCK_REALTIME, &time)
    }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// An open file, which is closed with its last reference.
final class OpenFile: Sendable {
  let number: Int32

  private init(_ number: Int32, _ what: @autoclosure () -> String) throws {
    if number < 0 { throw EngineError(what()) }
    self.number = number
  }

  /// Opens a file that is no link, or creates it with the mode and the owner of `database`.
  convenience init(_ path: String, of database: String? = nil) throws {
    try self.init(shared_open(path, database), "opening \(path)")
  }

  /// A counter that becomes readable when it is rung.
  static func event() throws -> OpenFile { try OpenFile(shared_event_open(), "watching processes") }
  /// Becomes readable when the process ends. Nil: it has ended, or belongs to another container.
  static func process(_ number: Int32) -> OpenFile? { try? OpenFile(shared_process_open(number), "watching a process") }

  deinit { close(number) }

  func ring() {
    var one: UInt64 = 1
    _ = write(number, &one, 8)
  }

  /// Makes an event that was rung unreadable.
  func clear() {
    var count: UInt64 = 0
    _ = read(number, &count, 8)
  }

  /// Locks a byte. False: another open file has it.
  func lock(byte: Int64, of path: String) throws -> Bool {
    if shared_byte_lock(number, byte) == 0 { return true }
    if errno == EAGAIN || errno == EACCES { return false }
    throw EngineError("locking \(path)")
  }

  /// Blocks until one of the files is readable, and returns these. If a signal interrupts the wait, there are none.
  static func waitForReadable(_ files: [OpenFile]) -> Set<Int32> {
    var polled = files.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
    guard poll(&polled, numericCast(polled.count), -1) > 0 else { return [] }
    return Set(polled.filter { $0.revents != 0 }.map(\.fd))
  }

  /// Reads the first bytes of a file, at most `limit`.
  static func text(of path: String, limit: Int) throws -> String {
    guard let file = fopen(path, "r") else { throw EngineError("reading \(path)") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = fread(&bytes, 1, limit, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

/// Memory that all processes share which map the file. Without a file, it belongs to this process.
final class SharedMemory {
  let words: UnsafeMutablePointer<UInt32>
  private let size: Int

  /// The file gets its room on the disk now: a write that finds a full disk would end the process.
  init(size: Int, of path: String?, beside database: String?) throws {
    let file = try path.map { try OpenFile($0, of: database) }
    if let file {
      let error = posix_fallocate(file.number, 0, numericCast(size))
      if error != 0 { throw EngineError("the size of \(path!)", code: error) }
    }
    let flags = MAP_SHARED | (file == nil ? MAP_ANONYMOUS : 0)
    let memory = withExtendedLifetime(file) {
      mmap(nil, size, PROT_READ | PROT_WRITE, flags, file?.number ?? -1, 0)
    }
    guard let memory, memory != MAP_FAILED else { throw EngineError("mapping \(path ?? "memory")") }
    words = memory.assumingMemoryBound(to: UInt32.self)
    self.size = size
  }

  deinit { munmap(words, size) }
}

/// A lock that its own thread may take again. `Mutex` would ask that results may be sent, and rows may not.
final class Lock {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func with<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}

/// Runs the body on a new thread. Threads that wait for long are not taken from Dispatch: it has a limited number of
/// them, and Swift's own pool is made of these.
func onOwnThread(_ body: @escaping @Sendable () -> Void) throws {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = Unmanaged.passRetained(Box(body))
  var thread = noThread()
  let error = pthread_create(
    &thread, nil,
    { argument in
      pthread_detach(pthread_self())
      Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  if error == 0 { return }
  box.release()
  throw EngineError("starting a thread", code: error)
}

/// Runs the body on a new thread, and suspends until it returns.
func awaitOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try onOwnThread { continuation.resume(with: Swift.Result { try body() }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

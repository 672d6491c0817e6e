import Glibc

/// The limit of the memory that this process may map.
///
/// It has no effect under AddressSanitizer, whose allocator maps all its memory at the start.
enum AddressSpace {
  /// Runs `body` while no more than half a thread's stack can be mapped.
  @available(*, noasync)
  static func withoutRoomForStacks<Result>(_ body: () -> Result) -> Result {
    var attributes = pthread_attr_t()
    var stack = 0
    precondition(pthread_attr_init(&attributes) == 0 && pthread_attr_getstacksize(&attributes, &stack) == 0)
    pthread_attr_destroy(&attributes)
    return withRoom(for: stack / 2, body)
  }

  /// Runs `body` while no more than `bytes` bytes can be mapped.
  @available(*, noasync)
  static func withRoom<Result>(for bytes: Int, _ body: () -> Result) -> Result {
    var before = rlimit()
    precondition(getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before) == 0)
    var limit = rlimit(rlim_cur: rlim_t(mapped + bytes), rlim_max: before.rlim_max)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    defer { precondition(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before) == 0) }
    return body()
  }

  /// Bytes of address space in use: the first number of statm, in pages.
  private static var mapped: Int {
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 100)
    let length = read(file, &text, text.count)
    let pages = String(decoding: text.prefix(max(0, length)), as: UTF8.self).prefix { $0.isNumber }
    return Int(pages)! * sysconf(Int32(_SC_PAGESIZE))
  }
}

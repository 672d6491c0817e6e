import Glibc

/// Facts about AddressSanitizer for the tests, should it be at work.
public enum AddressSanitizer {
  public static let isOn = dlsym(nil, "__asan_init") != nil

  /// How many times longer tests may take: on two processors, all of them take turns on two threads of
  /// Swift concurrency.
  public static let patience = isOn ? 4 : 1
}

/// LeakSanitizer calls this function. Foundation's `Process` never frees a part of its state.
@_cdecl("__lsan_default_suppressions")
public func leakSuppressions() -> UnsafePointer<CChar> {
  let text: StaticString = "leak:Foundation7ProcessC3run"
  return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

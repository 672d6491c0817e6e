import Glibc

/// What the tests have to know of AddressSanitizer, should it be at work.
public enum AddressSanitizer {
  public static let isOn = dlsym(nil, "__asan_init") != nil
}

/// Decides which requests the server answers.
///
/// Another page in the same browser can send requests here, so an address must not be guessed, and must not be enough:
/// - the path begins with a token of 128 random bits;
/// - `Host` is this server, so that another name for this machine is refused (DNS rebinding);
/// - `Origin`, if a browser sends one, is this server, and a command must have one.
struct Access: Sendable {
  let token: String

  /// Requires: the token has at least 16 letters and digits, and nothing else. Nil: a random one.
  init?(_ token: String?) {
    if let token {
      let isPlain = token.unicodeScalars.allSatisfy { "a"..."z" ~= $0 || "A"..."Z" ~= $0 || "0"..."9" ~= $0 }
      if token.utf8.count < 16 || !isPlain { return nil }
      self.token = token
      return
    }
    var random = SystemRandomNumberGenerator()
    self.token = (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  enum Decision: Equatable {
    /// The part of the path behind the token.
    case answer(String)
    case forbid
    case unknown
  }

  func decide(path: String, isCommand: Bool, host: String?, origin: String?, port: UInt16) -> Decision {
    let own = ["127.0.0.1:\(port)", "localhost:\(port)"]
    guard let host, own.contains(host) else { return .forbid }
    if origin.map({ $0 == "http://\(host)" }) ?? !isCommand {
      let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
      let rest = (parts.first ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard rest.count == 2, isToken(rest[0]) else { return .unknown }
      return .answer(String(rest[1]))
    }
    return .forbid
  }

  /// Compares in a time that does not depend on how much of the text is right.
  private func isToken(_ text: Substring) -> Bool {
    let (a, b) = (Array(text.utf8), Array(token.utf8))
    return a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

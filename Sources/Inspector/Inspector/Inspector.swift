import CMicroHTTPD
import Crucible
import Foundation

/// A page in the browser that shows the soups of this process as they react. It pauses, steps, resumes and clears them.
///
/// The page needs no network and loads nothing from elsewhere. The server listens on the loopback interface alone. Its
/// address contains a random token. The server refuses requests without the token, and requests of other sites. Keep
/// the address to yourself, because it is enough to control the soups.
///
/// While no page is open, the inspector samples nothing. While a page is open, it looks at each soup four times a
/// second. It counts the firings of a soup all the time up to 50,000 a second, and in short windows beyond.
public final class Inspector: Sendable {
  /// The address of the page, with its token.
  public let url: String

  private let server: Server

  /// Begins to serve, until ``stop()`` or until nothing refers to the inspector.
  ///
  /// The path `metrics` behind the token has the numbers of `Soup.metrics()`, for Prometheus.
  ///
  /// - Parameters:
  ///   - port: 0 stands for any free port, which ``url`` shows.
  ///   - token: a secret of at least 16 letters and digits, for an address that stays. Nil: a random one.
  /// - Throws: ``Failure`` if the port is not available, or the token is not as it must be.
  public static func serve(port: UInt16 = 0, token: String? = nil) async throws(Failure) -> Inspector {
    guard let access = Access(token) else { throw Failure(port: port, error: 0) }
    let server = Server(access)
    let bound = try server.start(port: port)
    return Inspector(server, "http://127.0.0.1:\(bound)/\(server.access.token)/")
  }

  private init(_ server: Server, _ url: String) {
    (self.server, self.url) = (server, url)
  }

  deinit { server.stop() }

  /// Closes the page's connections and the port. Further calls do nothing.
  public func stop() { server.stop() }

  /// The server could not begin.
  public struct Failure: Error, CustomStringConvertible {
    /// The requested port.
    public let port: UInt16
    /// The reason, as `errno` says it. 0: the token is not as it must be.
    public let error: Int32

    public var description: String {
      if error == 0 { return "the token of the inspector must have at least 16 letters and digits, nothing else" }
      return "the inspector cannot serve on port \(port): \(String(cString: strerror(error)))"
    }
  }
}

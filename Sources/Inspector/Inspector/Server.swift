import CMicroHTTPD
import Crucible
import Foundation
import Synchronization

/// The results of libmicrohttpd's callbacks: MHD_YES, and MHD_NO, which closes the connection.
private let goOn = MHD_Result(rawValue: 1)!
private let closed = MHD_Result(rawValue: 0)!

/// A server that answers requests by libmicrohttpd, on its own threads.
final class Server: Sendable {
  let access: Access
  private let looks = Looks()
  private let daemon = Atomic<UInt>(0)
  private let port = Atomic<UInt16>(0)

  private struct Answer {
    var status = UInt32(MHD_HTTP_OK)
    var type = "text/plain; charset=utf-8"
    var body: [UInt8] = []
  }

  init(_ access: Access) { self.access = access }

  func start(port wanted: UInt16) throws(Inspector.Failure) -> UInt16 {
    // Not retained, because `stop` ends all of the daemon's threads before this object is destroyed.
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard let started = inspector_start(wanted, Server.answer, context) else {
      throw Inspector.Failure(port: wanted, error: errno)
    }
    daemon.store(UInt(bitPattern: started), ordering: .releasing)
    let bound = inspector_port(started)
    port.store(bound, ordering: .releasing)
    return bound
  }

  func stop() {
    looks.end()
    let daemon = daemon.exchange(0, ordering: .acquiringAndReleasing)
    if let daemon = OpaquePointer(bitPattern: daemon) { MHD_stop_daemon(daemon) }
  }

  deinit { stop() }

  private static let answer: MHD_AccessHandlerCallback = { context, connection, path, method, _, _, size, state in
    let server = Unmanaged<Server>.fromOpaque(context!).takeUnretainedValue()
    // The first call comes before the body of the request has been read. A request without the right to anything is
    // refused here: of its body, nothing is read. The server ignores the bodies of the others.
    if state!.pointee == nil {
      state!.pointee = context
      return server.refuse(connection!, String(cString: path!), String(cString: method!)) ?? goOn
    }
    if size!.pointee > 0 {
      size!.pointee = 0
      return goOn
    }
    return server.answer(connection!, String(cString: path!), String(cString: method!))
  }

  private func decide(_ connection: OpaquePointer, _ path: String, _ method: String) -> Access.Decision {
    func header(_ name: String) -> String? {
      inspector_header(connection, name).map { String(cString: $0) }
    }
    return access.decide(
      path: path, isCommand: method != "GET", host: header("Host"), origin: header("Origin"),
      port: port.load(ordering: .acquiring))
  }

  /// Refuses the request, or returns nil if it has a right to an answer.
  private func refuse(_ connection: OpaquePointer, _ path: String, _ method: String) -> MHD_Result? {
    switch decide(connection, path, method) {
    case .answer: return nil
    case .forbid: return send(Answer(status: UInt32(MHD_HTTP_FORBIDDEN)), connection)
    case .unknown: return send(Answer(status: UInt32(MHD_HTTP_NOT_FOUND)), connection)
    }
  }

  private func answer(_ connection: OpaquePointer, _ path: String, _ method: String) -> MHD_Result {
    guard case .answer(let page) = decide(connection, path, method) else { return closed }
    func argument(_ name: String) -> String? {
      inspector_argument(connection, name).map { String(cString: $0) }
    }
    let (soup, reaction) = (argument("soup").flatMap { Int($0) }, argument("reaction").flatMap { Int($0) })
    switch (method, page) {
    case ("GET", ""): return send(file("text/html", PackageResources.page_html), connection)
    case ("GET", "page.js"): return send(file("text/javascript", PackageResources.page_js), connection)
    case ("GET", "page.css"): return send(file("text/css", PackageResources.page_css), connection)
    case ("GET", "story.html"): return send(file("text/html", PackageResources.story_html), connection)
    case ("GET", "story.js"): return send(file("text/javascript", PackageResources.story_js), connection)
    case ("GET", "events"): return stream(connection)
    case ("GET", "metrics"):
      let text = Soup.metrics().openMetrics()
      return send(Answer(type: Soup.Metrics.contentType, body: Array(text.utf8)), connection)
    case ("GET", "explain"):
      let text = soup.flatMap { looks.explanation(of: $0) }
      return send(Answer(status: text == nil ? 404 : 200, body: Array((text ?? "").utf8)), connection)
    case ("POST", "do"):
      let command = argument("what").flatMap { Command(rawValue: $0) }
      let isDone = command.map { looks.obey($0, soup, reaction: reaction) }
      return send(Answer(status: isDone == true ? 204 : 404), connection)
    default: return send(Answer(status: 404), connection)
    }
  }

  private func file(_ type: String, _ body: [UInt8]) -> Answer {
    Answer(type: "\(type); charset=utf-8", body: body)
  }

  private func send(_ answer: Answer, _ connection: OpaquePointer) -> MHD_Result {
    return queue(inspector_response(answer.body.count, answer.body), answer.status, answer.type, connection)
  }

  /// Streams server-sent events, one look after the other, until the page closes or the server stops.
  private func stream(_ connection: OpaquePointer) -> MHD_Result {
    let reader = Unmanaged.passRetained(looks.reader())
    let response = MHD_create_response_from_callback(
      .max, 1 << 16,
      { context, _, buffer, room in
        Unmanaged<Looks.Reader>.fromOpaque(context!).takeUnretainedValue().read(into: buffer!, room)
      }, reader.toOpaque(),
      { Unmanaged<Looks.Reader>.fromOpaque($0!).release() })
    if response == nil { reader.release() }
    return queue(response, 200, "text/event-stream", connection)
  }

  private func queue(
    _ response: OpaquePointer?, _ status: UInt32, _ type: String, _ connection: OpaquePointer
  ) -> MHD_Result {
    guard let response else { return closed }
    defer { MHD_destroy_response(response) }
    for (name, value) in [
      ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
      (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
      ),
    ] { MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, status, response)
  }
}

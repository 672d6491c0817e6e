public import Crucible

/// Hands values from senders to receivers, in their order.
///
/// ```swift
/// let lines = Channel<String>(.buffered(64))
/// Task {
///   for line in file { try await lines.send(line) }
///   lines.close()
/// }
/// for try await line in lines { print(line) }
/// ```
///
/// The definition. One molecule has the phase of the channel: `empty`, `some`, `full` or `closed`. Each operation waits
/// for the phases that allow it, and leaves the next one. The values are in a state, so a value whose receiver has
/// given up stays the first:
///
/// ```
/// for phase in [empty, some, closed] { soup.react(state: content, phase, send) { … } }
/// for phase in [some, full, closed] { soup.react(state: content, phase, receive) { … } }
/// for phase in [empty, some, full, closed] { soup.react(state: content, phase, attempt) { … } }
/// soup.react(state: content, empty, send, receive) { … }     // an unbuffered one: they meet
/// ```
///
/// The definition has only the phases that can occur. A channel with room for one value or none is never `some`, and an
/// unbounded channel is never `full`.
///
/// All operations happen in one order, so the values of one sender arrive in its order, on every matcher. Any number of
/// tasks and threads may send and receive; each value is received once.
///
/// If a caller gives up, its call is withdrawn: its value was not sent, or no value was taken for it. An unbuffered
/// channel has one exception: the receiver may give up at the moment in which it meets a sender. Then the sender goes
/// on, and its value waits for the next receiver.
///
/// A select over several channels receives from one of them, or sends to one, or does neither in time:
///
/// ```swift
/// let next = try await Soup.first(of: lines.receive.call(), alarms.receive.call(), within: .seconds(1))
/// ```
///
/// With a limit of zero, the select takes a value that is there, or has a default:
///
/// ```swift
/// do {
///   let next = try await Soup.first(of: lines.receive.call(), alarms.receive.call(), within: .zero)
///   print(next ?? "one of them is closed")
/// } catch .timedOut {
///   print("nothing is there")
/// } catch {
///   throw error
/// }
/// ```
///
/// If a program never closes a channel, its receivers wait for ever. If its reader is cancelled, no task makes room for
/// its senders. A loop over the channel throws then, and `defer { lines.close() }` sends the senders away. A
/// cancellation handler does so at once, even if the reader is busy with a line:
///
/// ```swift
/// try await withTaskCancellationHandler {
///   for try await line in lines { try await store(line) }
/// } onCancel: {
///   lines.close()      // a sender that waits gets `ChannelClosed`
/// }
/// ```
///
/// A restart of the channel's soup makes the channel open and empty.
///
/// - Complexity: O(1), amortised.
public struct Channel<Element: Sendable>: Compound {
  /// Waits while the channel is full, and sends a value. An unbuffered channel is full unless a receiver waits.
  ///
  /// - Throws: `CallError.failed` with ``ChannelClosed`` once the channel is closed.
  public let send: FastInjector<Element, Void>
  /// Waits while the channel is empty, and returns the oldest value; `nil` once the channel is closed and empty.
  public let receive: FastInjector<Void, Element?>
  public let control: Soup.Control
  @usableFromInline let attempt: FastInjector<Attempt, Attempt.Answer>
  @usableFromInline let closing: Injector<Void>
  @usableFromInline let isUnbuffered: Bool
  @usableFromInline let madeAt: MadeAt
  @usableFromInline let clock: Soup.ClockReader

  @usableFromInline
  enum Attempt: Sendable {
    case send(Element)
    case receive, receiveAll, close

    @usableFromInline
    struct Answer: Sendable {
      @usableFromInline let succeeded: Bool
      @usableFromInline let element: Element?
      @usableFromInline let rest: [Element]

      @inlinable
      init(succeeded: Bool = true, element: Element? = nil, rest: [Element] = []) {
        self.succeeded = succeeded
        self.element = element
        self.rest = rest
      }
    }
  }

  @usableFromInline
  struct Content {
    @usableFromInline var values = Queue<Element>()
    @usableFromInline var isClosed = false
    @usableFromInline var ticks = 0

    @inlinable init() {}
  }

  /// Makes a channel that is open and empty.
  @inlinable
  public init(
    _ capacity: ChannelCapacity, _ label: String = "channel", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(capacity, label, options, file, line) { _, _ in }
  }

  /// Makes a channel. `declare` may declare other names, each with its change of the content in any phase.
  @inlinable
  init(
    _ capacity: ChannelCapacity, _ label: String, _ options: Soup.Options, _ file: StaticString, _ line: UInt,
    _ declare: (Soup, (Injector<Void>, @escaping @Sendable (inout Content) -> Void) -> Void) -> Void
  ) {
    madeAt = MadeAt("channel", label, file, line)
    let capacity = capacity.limit(madeAt)
    isUnbuffered = capacity == 0
    (send, receive, attempt, closing, clock, control) = Soup.define(
      label, with: options, file: file, line: line
    ) { soup in
      let send = soup.fast("send", of: Element.self, returning: Void.self)
      let receive = soup.fast("receive", returning: Element?.self)
      let attempt = soup.fast("attempt", of: Attempt.self, returning: Attempt.Answer.self)
      let closing = soup.slow("closing")
      let empty = soup.slow("empty")
      let some = capacity > 1 ? soup.slow("some") : nil
      let full = capacity < .max ? soup.slow("full") : nil
      let closed = soup.slow("closed")
      let phases = [empty, some, full, closed].compactMap(\.self)
      let content = soup.state("content", holding: { $0.values.count }) { Content() }

      @Sendable func go(on content: Content) {
        let count = content.values.count
        (content.isClosed ? closed : count == 0 ? empty : count < capacity ? some! : full!)()
      }

      func declareReceiver(_ receiver: some Consumable<Call<Void, Element?>>) {
        for phase in phases where phase != empty {
          soup.react(state: content, phase, receiver, on: .inline) { content, _, call in
            if content.values.isEmpty {
              call.reply(nil)
            } else if call.reply(content.values.first) {
              content.values.removeFirst()
            }
            go(on: content)
          }
        }
      }
      declareReceiver(receive)

      for phase in phases where capacity == 0 ? phase == closed : phase != full {
        soup.react(state: content, phase, send, on: .inline) { content, _, call in
          if content.isClosed {
            call.fail(ChannelClosed())
          } else if call.reply() {
            content.values.append(call.input)
          }
          go(on: content)
        }
      }

      for phase in phases {
        soup.react(state: content, phase, attempt, on: .inline) { content, _, call in
          switch call.input {
          case .send(let value):
            let fits = !content.isClosed && content.values.count < capacity
            if call.reply(Attempt.Answer(succeeded: fits)) && fits { content.values.append(value) }
          case .receive:
            let value = content.values.isEmpty ? nil : content.values.first
            if call.reply(Attempt.Answer(element: value)) && value != nil { content.values.removeFirst() }
          case .receiveAll:
            if call.reply(Attempt.Answer(rest: content.values.all)) { content.values.removeAll() }
          case .close:
            if call.reply(Attempt.Answer(succeeded: !content.isClosed)) { content.isClosed = true }
          }
          go(on: content)
        }
        soup.react(state: content, phase, closing, on: .inline) { content, _, _ in
          content.isClosed = true
          go(on: content)
        }
      }

      if capacity == 0 {
        let again = soup.slow("again", of: Call<Void, Element?>.self)
        declareReceiver(again)
        @Sendable func meet(
          _ content: inout Content, _: Void, _ sender: Call<Element, Void>, _ receiver: Call<Void, Element?>
        ) {
          if !sender.reply() {
            again(receiver)
          } else if !receiver.reply(sender.input) {
            content.values.append(sender.input)
          }
          go(on: content)
        }
        soup.react(state: content, empty, send, receive, on: .inline, meet)
        soup.react(state: content, empty, send, again, on: .inline, meet)
      }

      declare(soup) { name, change in
        for phase in phases {
          soup.react(state: content, phase, name, on: .inline) { content, _, _ in
            change(&content)
            go(on: content)
          }
        }
      }

      soup.initially { empty() }
      return (send, receive, attempt, closing, soup.clock, soup.control)
    }
  }
}

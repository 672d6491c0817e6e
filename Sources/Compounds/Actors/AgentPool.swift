public import Crucible

/// Shares messages among several objects, each of which handles one at a time.
///
/// ```swift
/// let parsers = AgentPool("parsers", members: 4) { Parser() }
/// parsers.send { parser in store(parser.parse(text)) }
/// let tree = try await parsers.ask { parser in parser.parse(text) }
/// parsers.broadcast { parser in parser.reload() }        // to each member, once
/// parsers.add(2)
/// parsers.retire(1)
/// ```
///
/// The definition. An idle member is a molecule, and the mailbox is the bag of the messages. So a message goes to a
/// member that has nothing else to do when the message is handled:
///
/// ```
/// soup.react(tell, idle) { message, member in message(member); free(member) }
/// soup.react(question, idle) { call, member in call.reply(…); free(member) }
/// soup.react(state: news, free) { news, member in /* handle what was broadcast meanwhile, or else: */ idle(member) }
/// soup.react(state: news, broadcast) { news, message in /* note it for each member */ look.inject(count: members) }
/// soup.react(look, idle) { _, member in free(member) }
/// soup.react(state: news, retirement, idle) { news, _, member in /* forget the member, unless it has broadcasts */ }
/// ```
///
/// A broadcast reaches every member: a busy member looks for it when it is free. The members that are idle at the time
/// of the broadcast are the oldest in their bag, and there are as many looks as members. So the looks reach each of
/// them before a look is wasted on a member that was busy.
///
/// A message that throws goes to the policy for crashes. The pool makes its member anew, because the object may be left
/// in the middle of a change. If a question throws, its caller gets the error, and the member stays.
///
/// A message that the policy sends once more goes to any member, but a broadcast goes back to the member that crashed
/// by it. A message that the policy sends before it returns is handled before that member retires. If the policy keeps
/// a crash and sends its broadcast after the member has retired, no member is left to handle it. Then the `onError` of
/// the options gets its error.
///
/// If the members of a pool crash too often, a ``Supervisor`` can make all of them anew, after a delay.
///
/// A member that blocks to ask its own pool waits for another member. If all members do so, they wait until the program
/// adds one. Give such questions a limit.
///
/// All messages and questions run on the placement of the options.
///
/// - Complexity: O(1). A broadcast costs O(members).
public struct AgentPool<Object: SendableMetatype>: Recipient {
  public let mailbox: Mailbox<Object>
  public let control: Soup.Control
  /// Broadcasts, and new members as nil: one name, because the values of one name keep their order.
  @usableFromInline let announcement: Injector<AgentMessage<Object>?>
  @usableFromInline let retirement: Injector<Void>
  @usableFromInline let madeAt: MadeAt

  /// An object that only one body has at a time, because it is a molecule or was taken from one.
  @usableFromInline
  final class Member: @unchecked Sendable {
    @usableFromInline let number: Int
    @exclusivity(unchecked) @usableFromInline var generation: Int
    @exclusivity(unchecked) @usableFromInline var object: Object

    @inlinable
    init(_ number: Int, _ generation: Int, _ object: sending Object) {
      self.number = number
      self.generation = generation
      self.object = object
    }
  }

  /// A broadcast that returns to the member that crashed while it handled the broadcast.
  @usableFromInline
  struct Again: Sendable {
    @usableFromInline let member: Int
    @usableFromInline let message: AgentMessage<Object>
    @usableFromInline let error: any Error

    @inlinable
    init(member: Int, _ message: AgentMessage<Object>, _ error: any Error) {
      self.member = member
      self.message = message
      self.error = error
    }
  }

  /// A member that is free, after a crash or not, or a broadcast that returns to a member. One name carries all of
  /// them, because one name keeps its order. So a member gets the broadcasts that its policy returned before it is
  /// idle, and before it retires.
  @usableFromInline
  enum Freed: Sendable {
    case member(Member)
    indirect case crashed(Member, any Error)
    indirect case again(Again)
  }

  /// The broadcasts that each member has not yet handled, and the condition of a supervised pool.
  @usableFromInline
  struct News {
    @usableFromInline var pending: [Int: Queue<AgentMessage<Object>>] = [:]
    @usableFromInline var made = 0
    /// The generation grows when all members must be made anew. Each member is made anew when it is free.
    @usableFromInline var generation = 0
    /// The crashes that count: those of members of this generation.
    @usableFromInline var crashes = 0
    @usableFromInline var isDown = false
    /// The members that are free while the pool is down.
    @usableFromInline var down: [Member] = []

    @inlinable init() {}

    @inlinable
    mutating func addMember() -> Int {
      made += 1
      pending[made] = Queue()
      return made
    }

    @usableFromInline
    mutating func beginGeneration() {
      generation += 1
      crashes = 0
    }

    @inlinable
    func hasNext(for member: Member) -> Bool { !pending[member.number]!.isEmpty }
  }

  /// Makes a pool of `members` objects, 1 or more, each made by the closure.
  @inlinable
  public init(
    _ label: String = "agents", members: Int, options: Soup.Options = Soup.Options(), onCrash: Crash.Policy? = nil,
    file: StaticString = #fileID, line: UInt = #line, make: @escaping @Sendable () -> sending Object
  ) {
    self = Self.define(label, members, options, onCrash, nil, file, line, make).pool
  }

  @usableFromInline
  init(
    _ mailbox: Mailbox<Object>, _ announcement: Injector<AgentMessage<Object>?>, _ retirement: Injector<Void>,
    _ control: Soup.Control, _ madeAt: MadeAt
  ) {
    self.mailbox = mailbox
    self.announcement = announcement
    self.retirement = retirement
    self.control = control
    self.madeAt = madeAt
  }

  /// Makes a pool. A supervised pool has the names by which it is made anew.
  @inlinable
  static func define(
    _ label: String, _ members: Int, _ options: Soup.Options, _ onCrash: Crash.Policy?, _ watch: Watch?,
    _ file: StaticString, _ line: UInt, _ make: @escaping @Sendable () -> sending Object
  ) -> (pool: AgentPool, rebirth: Rebirth?) {
    let madeAt = MadeAt("agents", label, file, line)
    madeAt.require("the number of members", members, in: 1...1 << 20)
    let (mailbox, announcement, retirement, rebirth, control) = Soup.define(
      label, with: options, file: file, line: line
    ) { soup in
      let tell = soup.slow("tell", of: AgentMessage<Object>.self)
      let question = soup.fast("question", of: AgentQuestion<Object>.self, returning: AgentAnswer.self)
      let announcement = soup.slow("announcement", of: AgentMessage<Object>?.self)
      let retirement = soup.slow("retirement")
      let idle = soup.slow("idle", of: Member.self)
      let free = soup.slow("free", of: Freed.self)
      let look = soup.slow("look")
      let informed = soup.slow("informed", of: (Member, AgentMessage<Object>).self)
      let news = soup.state("news", holding: { $0.pending.values.reduce(0) { $0 + $1.count } }) { News() }
      let supervision = watch.map { Supervision($0, in: soup, news, free, look) }

      @Sendable func handle(_ message: AgentMessage<Object>, by member: Member, isBroadcast: Bool) throws {
        do {
          try message.run(&member.object)
          free(.member(member))
        } catch {
          member.object = make()
          defer { free(.crashed(member, error)) }
          try onCrash.handle(error, of: message) { [number = member.number] message in
            isBroadcast ? free(.again(Again(member: number, message, error))) : tell(message)
          }
        }
      }
      soup.react(tell, idle) { message, member in try handle(message, by: member, isBroadcast: false) }
      soup.react(informed) { both in try handle(both.1, by: both.0, isBroadcast: true) }
      soup.react(question, idle) { call, member in
        defer { free(.member(member)) }
        try call.input.run(&member.object, call)
      }
      // A free member first handles its broadcasts. It is down while the pool is down.
      @Sendable func place(_ member: Member, _ news: inout News) {
        if news.isDown {
          news.down.append(member)
          return
        }
        if member.generation != news.generation {
          member.object = make()
          member.generation = news.generation
        }
        guard news.hasNext(for: member) else {
          idle(member)
          return
        }
        // What a stop has refused stays in the state, where the stop counts it.
        if informed((member, news.pending[member.number]!.first)) { news.pending[member.number]!.removeFirst() }
      }
      soup.react(state: news, free, on: .inline) { news, freed in
        switch freed {
        case .member(let member): place(member, &news)
        case .crashed(let member, let error):
          supervision?.count(error, of: member, in: &news)
          place(member, &news)
        case .again(let again):
          guard news.pending[again.member] != nil else { throw again.error }
          news.pending[again.member]!.append(again.message)
          look.inject(count: news.pending.count)
        }
      }
      soup.react(look, idle, on: .inline) { _, member in free(.member(member)) }
      soup.react(state: news, announcement, on: .inline) { news, message in
        guard let message else {
          place(Member(news.addMember(), news.generation, make()), &news)
          return
        }
        for member in news.pending.keys { news.pending[member]!.append(message) }
        look.inject(count: news.pending.count)
      }
      soup.react(state: news, retirement, idle, on: .inline) { news, _, member in
        let isWanted = news.hasNext(for: member)
        if !isWanted && news.pending.count > 1 {
          news.pending[member.number] = nil
          return
        }
        if isWanted { retirement() }
        place(member, &news)
      }

      soup.initially { for _ in 0..<members { announcement(nil) } }
      let mailbox = Mailbox(tell: tell, question: question)
      return (mailbox, announcement, retirement, supervision?.rebirth, soup.control)
    }
    return (AgentPool(mailbox, announcement, retirement, control, madeAt), rebirth)
  }

  /// Has each present member handle a message once, in the order of broadcasts, and returns at once. The members of an
  /// ``add(_:)`` that has returned are present.
  ///
  /// - Returns: false if the pool has been stopped: then it does not run.
  /// - Complexity: O(members). Does not block.
  @discardableResult
  public func broadcast(_ message: @escaping @Sendable (inout Object) throws -> Void) -> Bool {
    announcement(AgentMessage(run: message))
  }

  /// Makes each member anew, as if a message had thrown the error in it. No message is lost. In a supervised pool this
  /// is one crash for each member.
  ///
  /// ```swift
  /// parsers.crash(with: CancellationError())
  /// ```
  @discardableResult
  public func crash(with error: any Error) -> Bool { broadcast { _ in throw error } }

  /// Adds `count` members, 0 or more. Does not block.
  ///
  /// - Complexity: O(count).
  public func add(_ count: Int) {
    madeAt.require("the number of members to add", count, in: 0...1 << 40)
    for _ in 0..<count { announcement(nil) }
  }

  /// Removes `count` members, 0 or more, once they are idle. The last member stays. Does not block.
  public func retire(_ count: Int) {
    madeAt.require("the number of members to retire", count, in: 0...1 << 40)
    retirement.inject(count: count)
  }
}

extension Optional where Wrapped == Crash.Policy {
  /// Passes a message whose work threw to the policy. Without a policy the body throws the error.
  @usableFromInline
  func handle<Object>(
    _ error: any Error, of message: AgentMessage<Object>, resend: @escaping @Sendable (AgentMessage<Object>) -> Bool
  ) throws {
    var again = message
    again.attempts += 1
    guard let self else { throw error }
    try self(Crash(error: error, attempts: again.attempts) { [again] in resend(again) })
  }
}

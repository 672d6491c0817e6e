import CCrucible

/// A join definition: the names and reactions that are made together in one scope and frozen when it ends.
///
/// ```swift
/// let counter = Soup.define("counter") { soup in
///   let total = soup.state("total", 0)
///   let add   = soup.fast("add", of: Int.self, returning: Int.self)
///   soup.react(state: total, add) { n, call in
///     n += call.input
///     call.reply(n)
///   }
///   return (add: add, control: soup.control)
/// }
/// let total = try await counter.add(2)
/// ```
///
/// `add` is a call: it has happened when its caller goes on. A slow molecule may be overtaken by molecules of other
/// names.
///
/// Inside the scope names do not own the soup, so that bodies may capture them without a cycle; the names that `define`
/// returns do. A soup lives as long as an owning name or a running body; then it is gone with its waiting molecules, at
/// once and on the thread that let go last. A name whose soup is gone is safe to call: a slow injection returns false,
/// a fast one throws ``CallError/gone``.
///
/// What is injected before the scope ends is held, and let go when the definition is complete.
///
/// The closure's argument is only to be used by the thread that defines, and not after the scope has ended.
///
/// After `fork` the child may make and use soups of its own, inline and on a pool of its own. A soup of its parent it
/// may only let go of: to use it ends the child with a message that names the soup. A child that is forked in a body
/// has to end there, by `exec` or `_exit`.
public final class Soup {
  @usableFromInline let core: OpaquePointer
  let context: SoupContext
  // Only the thread that defines uses these, and never one within an access to the same: nothing needs to check that.
  @exclusivity(unchecked) private var isOpen = true
  /// One for each name, so that at the end it is known to which of them anybody refers.
  @exclusivity(unchecked) private var nameHandles: [SoupHandle] = []

  /// Gets the errors that no caller receives.
  public typealias ErrorHandler = @Sendable (ReactionError) -> Void

  private let source: Source

  private init(_ label: String, _ options: Options, at source: Source) {
    let context = SoupContext(options)
    guard
      let core = source.withOptions(
        label: label, matcher: options.matcher, seed: options.seed, context, crucible_soup_create)
    else {
      fatalError("Crucible: soup '\(label)' (\(source)): no memory", file: source.file, line: source.line)
    }
    self.core = core
    self.source = source
    self.context = context
    crucible_soup_retain_shell(core)  // who uses this after the scope is told so, though the soup may be gone
    nameHandles.reserveCapacity(4)
  }

  deinit { crucible_soup_release_shell(core) }

  /// Defines a soup, and returns the names that its closure returns, which own it.
  ///
  /// A mistake in the chemistry ends the program with a message that names the soup, the molecule and the source line:
  /// a name that no reaction consumes, a name of another soup in a pattern, a 65th name, a 65th input, an empty
  /// pattern, one state twice in a pattern, a component that ``Soup/Matcher/word`` was asked to serve and cannot.
  ///
  /// Messages and descriptions call the soup by its label. The closure declares names and reactions, and returns what
  /// may leave: names, ``control``, and arrays, optionals, tuples and structs of these.
  ///
  /// - Complexity: O(names × reactions); about 2 KB for a soup, 0.3 KB for a name, 1.2 KB more from when a value of it
  ///   has to wait.
  public static func define<each Name: Leaving, Failure: Error>(
    _ label: String = "soup",
    with options: Options = Options(),
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: (Soup) throws(Failure) -> (repeat each Name)
  ) throws(Failure) -> (repeat each Name) {
    let soup = Soup(label, options, at: Source(file, line))
    defer { crucible_soup_release(soup.core) }
    let names = try soup.complete(body)
    return (repeat (each names).owning())
  }

  /// Defines a soup of which one name leaves.
  public static func define<Name: Leaving, Failure: Error>(
    _ label: String = "soup",
    with options: Options = Options(),
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: (Soup) throws(Failure) -> Name
  ) throws(Failure) -> Name {
    let soup = Soup(label, options, at: Source(file, line))
    defer { crucible_soup_release(soup.core) }
    return try soup.complete(body).owning()
  }

  /// Defines a soup of which a tuple with labels leaves, or a struct of names.
  ///
  /// ```swift
  /// let store = Soup.define { soup in …; return (get: get, put: put) }
  /// try await store.put("hello")
  /// ```
  ///
  /// A result without any name ends the program with a message. See ``Leaving`` for the names that are found.
  @_disfavoredOverload
  public static func define<Names: Sendable, Failure: Error>(
    _ label: String = "soup",
    with options: Options = Options(),
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: (Soup) throws(Failure) -> Names
  ) throws(Failure) -> Names {
    let soup = Soup(label, options, at: Source(file, line))
    defer { crucible_soup_release(soup.core) }
    let names = try soup.complete(body)
    let parts = LeavingParts.of(Names.self)
    if parts.isEmpty {
      fatalError(
        "Crucible: \(soup.describe()): no name leaves by '\(Names.self)': return names, or tuples or structs of names",
        file: file, line: line)
    }
    return parts.own(names)
  }

  /// Runs the definition, then closes it.
  private func complete<Names, Failure: Error>(_ body: (Soup) throws(Failure) -> Names) throws(Failure) -> Names {
    defer { isOpen = false }
    let names = try body(self)
    context.warn(core, referred: referredNames())
    context.begin(core)
    freeze()
    context.end()
    return names
  }

  /// The handle of the name that is declared next.
  func addHandle() -> SoupHandle {
    let handle = SoupHandle(core, owns: false)
    nameHandles.append(handle)
    return handle
  }

  /// The names that anybody refers to, by their numbers. Lets go of the handles.
  private func referredNames() -> UInt64 {
    var handles: [SoupHandle] = []
    swap(&handles, &nameHandles)
    var referred: UInt64 = 0
    for index in handles.indices where handles[index].isGivenOut || !isKnownUniquelyReferenced(&handles[index]) {
      referred |= 1 << index
    }
    return referred
  }

  /// Where the soup's counts can be seen; may leave the scope like a name, and then owns the soup like one.
  public var control: Soup.Control { Soup.Control(handle: SoupHandle(core, owns: false)) }

  private func freeze() {
    isOpen = false
    var culprit: OpaquePointer?
    let status = crucible_soup_freeze(core, &culprit)
    if status != CRUCIBLE_OK {
      fail(status, culprit: culprit, at: source)
    }
  }

  /// Declarations come only from within the scope.
  func requireOpen(_ what: @autoclosure () -> String, at source: Source) {
    if !isOpen {
      fatalError(
        "Crucible: \(describe()): \(what()) (\(source)): \(text(CRUCIBLE_FROZEN))", file: source.file, line: source.line
      )
    }
  }

  func fail(_ status: crucible_status, culprit: OpaquePointer? = nil, what: String = "", at source: Source) -> Never {
    let molecule =
      culprit.map { ": molecule '\(String(cString: crucible_name_label($0)))' (\(Source(ofName: $0)))" } ?? ""
    let foreign =
      status == CRUCIBLE_FOREIGN_NAME
      ? culprit.map { ", '\(String(cString: crucible_soup_label(crucible_name_soup($0))))'" } ?? "" : ""
    fatalError(
      "Crucible: \(describe())\(what)\(molecule): \(text(status))\(foreign)", file: source.file, line: source.line)
  }

  private func describe() -> String { "soup '\(String(cString: crucible_soup_label(core)))' (\(Source(ofSoup: core)))" }

  private func text(_ status: crucible_status) -> String { String(cString: crucible_status_text(status)) }
}

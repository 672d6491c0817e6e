import CCrucible
import CTask
import Synchronization

/// A join definition: names and reactions that one scope declares together, and that are frozen when it ends.
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
/// Inside the scope names do not own the soup, so that bodies may capture them without a cycle; the names that `define`
/// returns do. A soup lives as long as an owning name or a running body. Then it is gone at once, with its waiting
/// molecules, on the thread that releases the last owner. <doc:Ending> has the rest.
///
/// The library holds molecules that are injected before the scope ends until the definition is complete.
///
/// Requires: only the defining thread uses the closure's argument, and only inside the scope. <doc:Guarantees> says
/// what a child after `fork` may do.
public final class Soup {
  // Only the defining thread uses these, and never inside an access to the same one. So they need no exclusivity check.
  @exclusivity(unchecked) private(set) var core: OpaquePointer
  /// The placement of reactions that do not specify one.
  @exclusivity(unchecked) private(set) var placement: Placement
  @exclusivity(unchecked) private var file: StaticString
  @exclusivity(unchecked) private var line: UInt
  @exclusivity(unchecked) private(set) var isOpen = true
  /// The handle of the control, and of the names that were declared while the soup repeated an earlier one. The library
  /// needs no information about each of these names. If a step of the soup differs later, a reference by one of these
  /// names counts for all of them, and none of them gets a warning. The soup owns the handle.
  @exclusivity(unchecked) @usableFromInline private(set) var sharedHandle: Unmanaged<SoupHandle>
  /// References to that handle that are already counted, for names and controls that are still to be declared.
  @exclusivity(unchecked) @usableFromInline var namesAhead: UInt32 = 0
  /// The number of names and controls whose reference was not counted before.
  @exclusivity(unchecked) var namesBeyond: UInt32 = 0
  /// References that names gave back when they left, and that are still counted.
  @exclusivity(unchecked) var namesLeft: UInt32 = 0
  /// Keeps the memory of labels for code that wrongly uses this object after the scope.
  @exclusivity(unchecked) private var afterScope: SoupHandle?
  /// One handle for each name that was declared after those, to show at the end which of them other code refers to.
  @exclusivity(unchecked) var handles: [SoupHandle] = []
  /// Owns the soup until the scope ends, and on behalf of the names that leave.
  @exclusivity(unchecked) private(set) var owner: Unmanaged<SoupHandle>
  /// References to the owner that no name has.
  @exclusivity(unchecked) var ownersAhead: UInt32 = 1
  /// The definition that the thread was ending before this one, if names are leaving now.
  @exclusivity(unchecked) private var outer: UnsafeRawPointer??

  /// A function that gets the errors that no caller receives.
  public typealias ErrorHandler = @Sendable (ReactionError) -> Void

  /// Begins a definition, with the object that this thread used last for one, if no other code refers to it.
  @usableFromInline
  static func begin(
    _ label: String, _ options: borrowing Options, at source: StaticSource, variant: UInt
  ) -> Soup {
    let context = SoupContext.isNeeded(by: options) ? SoupContext(copy options) : nil
    // All names of a run can show their values, so soups of runs share chemistries among themselves alone.
    let variant = context != nil && ControlledThread.currentRun != nil ? ~variant : variant
    var core: OpaquePointer?
    if context == nil, options.seed == nil { core = source.repeated(label, variant, options.matcher) }
    if core == nil {
      core = source.withOptions(
        label: label, variant: variant, matcher: options.matcher, seed: options.seed, context, crucible_soup_create)
    }
    guard let core else {
      fatalError("Crucible: soup '\(label)' (\(source)): no memory", file: source.file, line: source.line)
    }
    context?.core = core
    if let carries = options.carriesContext {
      if carries { Origin.hooks }
      crucible_soup_carry_context(core, carries)
    }
    guard let saved = crucible_thread_take(CRUCIBLE_FOR_DEFINING) else { return Soup(core, options.placement, source) }
    let soup = Unmanaged<Soup>.fromOpaque(saved).takeRetainedValue()
    soup.begin(core, options.placement, source)
    return soup
  }

  private init(_ core: OpaquePointer, _ placement: Placement, _ source: StaticSource) {
    self.core = core
    self.placement = placement
    file = source.file
    line = source.line
    owner = Unmanaged.passRetained(SoupHandle(core, owns: true))
    sharedHandle = SoupHandle.kept(by: core)
    countAhead()
  }

  private func begin(_ core: OpaquePointer, _ placement: Placement, _ source: StaticSource) {
    self.core = core
    self.placement = placement
    file = source.file
    line = source.line
    isOpen = true
    owner = Unmanaged.passRetained(SoupHandle(core, owns: true))
    ownersAhead = 1
    sharedHandle = SoupHandle.kept(by: core)
    countAhead()
  }

  /// Defines a soup, and returns the names that its closure returns, which own it.
  ///
  /// A mistake in the chemistry ends the program with a message that names the soup, the molecule and the source line.
  /// Mistakes are: a name that no reaction consumes, a name of another soup in a pattern, a 257th name, a 65th input.
  /// Also: an empty pattern, one state twice in a pattern, and a component that is too wide for the chosen matcher.
  ///
  /// The closure declares names and reactions, and returns values that may leave: names, ``control``, and arrays,
  /// optionals, tuples and structs of these.
  ///
  /// - Throws: the error of the closure. Then there is no soup.
  /// - Complexity: O(names × reactions). A soup takes about 0.8 KB, a name 0.3 KB, and a ring of waiting values 1.2 KB.
  @inlinable
  public static func define<each Name: Leaving, Failure: Error>(
    _ label: String = "soup",
    with options: Options = Options(),
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: (Soup) throws(Failure) -> (repeat each Name)
  ) throws(Failure) -> (repeat each Name) {
    var variant: UInt = 0
    var count: UInt32 = 0
    for name in repeat (each Name).self {
      variant = variant &* 31 &+ Soup.variant(of: name)
      count += 1
    }
    let soup = Soup.begin(label, options, at: StaticSource(file, line), variant: variant)
    var names: (repeat each Name)
    do throws(Failure) {
      names = try body(soup)
      soup.complete(leaving: count)
    } catch {
      Soup.giveUp(consume soup)
      throw error
    }
    Soup.own(&names)
    Soup.end(consume soup)
    return consume names
  }

  /// Makes names own their soup in place. Moving each name to another tuple would retain it three times more.
  @inlinable @inline(__always)
  static func own<each Name: Leaving>(_ names: inout (repeat each Name)) {
    withUnsafeMutablePointer(to: &names) { names in
      // A tuple has the memory layout of a struct of its elements: in their order, each at its alignment.
      var offset = 0
      for type in repeat (each Name).self { own(type, in: UnsafeMutableRawPointer(names), from: &offset) }
    }
  }

  @inlinable @inline(__always)
  static func own<Name: Leaving>(_: Name.Type, in tuple: UnsafeMutableRawPointer, from offset: inout Int) {
    let alignment = MemoryLayout<Name>.alignment
    offset = (offset + alignment - 1) & -alignment
    Name._own(tuple + offset)
    offset += MemoryLayout<Name>.size
  }

  /// Defines a soup, and returns the one name that its closure returns, which owns it.
  @inlinable
  public static func define<Name: Leaving, Failure: Error>(
    _ label: String = "soup",
    with options: Options = Options(),
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: (Soup) throws(Failure) -> Name
  ) throws(Failure) -> Name {
    let soup = Soup.begin(label, options, at: StaticSource(file, line), variant: Soup.variant(of: Name.self))
    var name: Name
    do throws(Failure) {
      name = try body(soup)
      soup.complete(leaving: 1)
    } catch {
      Soup.giveUp(consume soup)
      throw error
    }
    withUnsafeMutablePointer(to: &name) { Name._own($0) }
    Soup.end(consume soup)
    return consume name
  }

  /// Defines a soup, and returns the tuple with labels, or the struct of names, that its closure returns.
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
    let soup = Soup.begin(label, options, at: StaticSource(file, line), variant: Soup.variant(of: Names.self))
    let names: Names
    do throws(Failure) { names = try body(soup) } catch {
      Soup.giveUp(consume soup)
      throw error
    }
    let parts = LeavingParts.of(Names.self)
    soup.complete(leaving: UInt32(clamping: parts.count))
    if parts.isEmpty { soup.failWithoutNames(Names.self, file, line) }
    let owning = parts.copy(names, owning: true)
    Soup.end(consume soup)
    return owning
  }

  /// Distinguishes generic definitions of one place: soups with names of other types are never alike.
  @inlinable
  static func variant(of type: any Any.Type) -> UInt { UInt(bitPattern: ObjectIdentifier(type)) }

  /// Closes the definition after all declarations. Until the end, all names that this thread makes own the soup share
  /// one handle. `count` is the usual number of names that leave.
  @usableFromInline
  func complete(leaving count: UInt32) {
    endAhead()
    // A soup that repeats an earlier one has no warnings either.
    if !crucible_soup_has_repeated(core) && !SoupContext.warn(core, referred: referredNames()) {
      crucible_soup_allow_repeats(core)
    }
    let context = Soup.isAnyObservedEverywhere ? SoupContext.of(core) : SoupContext.known(of: core)
    context?.begin()
    isOpen = false
    var culprit: OpaquePointer?
    let status = crucible_soup_freeze(core, &culprit)
    if status != CRUCIBLE_OK { fail(status, culprit: culprit, at: StaticSource(file, line)) }
    SoupContext.known(of: core)?.end()  // another thread may have made it meanwhile, to observe
    if count > 1 {
      // No other thread knows the owner yet.
      owner.retainAlone(count - 1)
      ownersAhead = count
    }
    outer = .some(crucible_task_current_thread().pointee.leaving)
    crucible_task_current_thread().pointee.leaving = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Notes that the definition has thrown. A name that owns the soup may be elsewhere, and refuses from now on.
  @usableFromInline
  static func giveUp(_ soup: consuming Soup) {
    crucible_soup_give_up(soup.core)
    end(consume soup)
  }

  /// Ends the scope, whether all was declared or an error was thrown.
  @usableFromInline
  static func end(_ soup: consuming Soup) {
    soup.end()
    let isLast = isKnownUniquelyReferenced(&soup)
    if !isLast {
      soup.afterScope = soup.sharedHandle.takeUnretainedValue()
    }
    soup.owner.release(soup.ownersAhead)
    if !isLast { return }
    atomicMemoryFence(ordering: .acquiring)  // partner: the release of a thread that has used it
    let saved = Unmanaged.passRetained(consume soup).toOpaque()
    if !crucible_thread_keep(CRUCIBLE_FOR_DEFINING, saved, ReplyToken.release) { ReplyToken.release(saved) }
  }

  private func end() {
    isOpen = false
    placement = .pool
    endAhead()
    if !handles.isEmpty { handles = [] }
    if case .some(let outer) = outer { crucible_task_current_thread().pointee.leaving = outer }
    outer = nil
    sharedHandle.release(namesLeft)
    namesLeft = 0
  }

  /// The control of the soup, which shows its counts. It may leave the scope, and then owns the soup, like a name.
  public var control: Soup.Control {
    let shares = crucible_soup_repeats(core) || sharedCount == 0
    return Soup.Control(handle: shares ? takeSharedHandle() : SoupHandle(core, owns: false))
  }
}

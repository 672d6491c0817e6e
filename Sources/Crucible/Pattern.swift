/// Patterns: what stands left of a reaction's body, built by `&` from names, a state first.
///
/// One struct per arity rather than a parameter pack: the body's arguments are then taken without any generic dispatch at
/// run time (measured from another module, release, inline: `join2` 34 ns, by pack 73; `join6` 137, by pack 260).

/// Two molecules, consumed at once.
public struct Pattern2<A: Consumable, B: Consumable> {
  @usableFromInline let a: A
  @usableFromInline let b: B

  @usableFromInline
  init(_ a: A, _ b: B) {
    self.a = a
    self.b = b
  }

  @usableFromInline var names: [OpaquePointer] { [a._name, b._name] }
}

/// Three molecules, consumed at once.
public struct Pattern3<A: Consumable, B: Consumable, C: Consumable> {
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C

  @usableFromInline
  init(_ a: A, _ b: B, _ c: C) {
    self.a = a
    self.b = b
    self.c = c
  }

  @usableFromInline var names: [OpaquePointer] { [a._name, b._name, c._name] }
}

/// Four molecules, consumed at once.
public struct Pattern4<A: Consumable, B: Consumable, C: Consumable, D: Consumable> {
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C
  @usableFromInline let d: D

  @usableFromInline
  init(_ a: A, _ b: B, _ c: C, _ d: D) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
  }

  @usableFromInline var names: [OpaquePointer] { [a._name, b._name, c._name, d._name] }
}

/// Five molecules, consumed at once.
public struct Pattern5<A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable> {
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C
  @usableFromInline let d: D
  @usableFromInline let e: E

  @usableFromInline
  init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
  }

  @usableFromInline var names: [OpaquePointer] { [a._name, b._name, c._name, d._name, e._name] }
}

/// Six molecules, consumed at once.
public struct Pattern6<A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable> {
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C
  @usableFromInline let d: D
  @usableFromInline let e: E
  @usableFromInline let f: F

  @usableFromInline
  init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
  }

  @usableFromInline var names: [OpaquePointer] { [a._name, b._name, c._name, d._name, e._name, f._name] }
}

/// A state and one molecule, consumed at once.
public struct StatePattern2<S: SendableMetatype, A: Consumable> {
  @usableFromInline let state: State<S>
  @usableFromInline let a: A

  @usableFromInline
  init(_ state: State<S>, _ a: A) {
    self.state = state
    self.a = a
  }

  @usableFromInline var names: [OpaquePointer] { [state.name, a._name] }
}

/// A state and two molecules, consumed at once.
public struct StatePattern3<S: SendableMetatype, A: Consumable, B: Consumable> {
  @usableFromInline let state: State<S>
  @usableFromInline let a: A
  @usableFromInline let b: B

  @usableFromInline
  init(_ state: State<S>, _ a: A, _ b: B) {
    self.state = state
    self.a = a
    self.b = b
  }

  @usableFromInline var names: [OpaquePointer] { [state.name, a._name, b._name] }
}

/// A state and three molecules, consumed at once.
public struct StatePattern4<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable> {
  @usableFromInline let state: State<S>
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C

  @usableFromInline
  init(_ state: State<S>, _ a: A, _ b: B, _ c: C) {
    self.state = state
    self.a = a
    self.b = b
    self.c = c
  }

  @usableFromInline var names: [OpaquePointer] { [state.name, a._name, b._name, c._name] }
}

/// A state and four molecules, consumed at once.
public struct StatePattern5<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable> {
  @usableFromInline let state: State<S>
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C
  @usableFromInline let d: D

  @usableFromInline
  init(_ state: State<S>, _ a: A, _ b: B, _ c: C, _ d: D) {
    self.state = state
    self.a = a
    self.b = b
    self.c = c
    self.d = d
  }

  @usableFromInline var names: [OpaquePointer] { [state.name, a._name, b._name, c._name, d._name] }
}

/// A state and five molecules, consumed at once.
public struct StatePattern6<
  S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable
> {
  @usableFromInline let state: State<S>
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C
  @usableFromInline let d: D
  @usableFromInline let e: E

  @usableFromInline
  init(_ state: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
    self.state = state
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
  }

  @usableFromInline var names: [OpaquePointer] { [state.name, a._name, b._name, c._name, d._name, e._name] }
}

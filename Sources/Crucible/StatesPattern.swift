/// Patterns of two states and molecules, as those of one state in `Pattern.swift`: the states first.

/// Two states, to which a pattern has to add a molecule: alone they would react for ever.
public struct StatesPattern2<S: SendableMetatype, T: SendableMetatype> {
  @usableFromInline let s: State<S>
  @usableFromInline let t: State<T>

  @usableFromInline
  init(_ s: State<S>, _ t: State<T>) {
    self.s = s
    self.t = t
  }
}

/// Two states and one molecule, consumed at once.
public struct StatesPattern3<S: SendableMetatype, T: SendableMetatype, A: Consumable> {
  @usableFromInline let states: StatesPattern2<S, T>
  @usableFromInline let a: A

  @usableFromInline
  init(_ states: StatesPattern2<S, T>, _ a: A) {
    self.states = states
    self.a = a
  }

  @usableFromInline var names: [OpaquePointer] { [states.s.name, states.t.name, a._name] }
}

/// Two states and two molecules, consumed at once.
public struct StatesPattern4<S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable> {
  @usableFromInline let states: StatesPattern2<S, T>
  @usableFromInline let a: A
  @usableFromInline let b: B

  @usableFromInline
  init(_ states: StatesPattern2<S, T>, _ a: A, _ b: B) {
    self.states = states
    self.a = a
    self.b = b
  }

  @usableFromInline var names: [OpaquePointer] { [states.s.name, states.t.name, a._name, b._name] }
}

/// Two states and three molecules, consumed at once.
public struct StatesPattern5<S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable> {
  @usableFromInline let states: StatesPattern2<S, T>
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C

  @usableFromInline
  init(_ states: StatesPattern2<S, T>, _ a: A, _ b: B, _ c: C) {
    self.states = states
    self.a = a
    self.b = b
    self.c = c
  }

  @usableFromInline var names: [OpaquePointer] { [states.s.name, states.t.name, a._name, b._name, c._name] }
}

/// Two states and four molecules, consumed at once.
public struct StatesPattern6<
  S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable
> {
  @usableFromInline let states: StatesPattern2<S, T>
  @usableFromInline let a: A
  @usableFromInline let b: B
  @usableFromInline let c: C
  @usableFromInline let d: D

  @usableFromInline
  init(_ states: StatesPattern2<S, T>, _ a: A, _ b: B, _ c: C, _ d: D) {
    self.states = states
    self.a = a
    self.b = b
    self.c = c
    self.d = d
  }

  @usableFromInline var names: [OpaquePointer] { [states.s.name, states.t.name, a._name, b._name, c._name, d._name] }
}

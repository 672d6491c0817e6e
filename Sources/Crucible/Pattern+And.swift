/// The operator that builds patterns.
///
/// ```swift
/// soup.react(counter & increment & log) { n, _, line in … }
/// ```

public func & <A: Consumable, B: Consumable>(a: A, b: B) -> Pattern2<A, B> { Pattern2(a, b) }

public func & <A: Consumable, B: Consumable, C: Consumable>(
  p: Pattern2<A, B>, c: C
) -> Pattern3<A, B, C> { Pattern3(p.a, p.b, c) }

public func & <A: Consumable, B: Consumable, C: Consumable, D: Consumable>(
  p: Pattern3<A, B, C>, d: D
) -> Pattern4<A, B, C, D> { Pattern4(p.a, p.b, p.c, d) }

public func & <A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable>(
  p: Pattern4<A, B, C, D>, e: E
) -> Pattern5<A, B, C, D, E> { Pattern5(p.a, p.b, p.c, p.d, e) }

public func & <A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable>(
  p: Pattern5<A, B, C, D, E>, f: F
) -> Pattern6<A, B, C, D, E, F> { Pattern6(p.a, p.b, p.c, p.d, p.e, f) }

public func & <S: SendableMetatype, A: Consumable>(
  state: State<S>, a: A
) -> StatePattern2<S, A> { StatePattern2(state, a) }

public func & <S: SendableMetatype, A: Consumable, B: Consumable>(
  p: StatePattern2<S, A>, b: B
) -> StatePattern3<S, A, B> { StatePattern3(p.state, p.a, b) }

public func & <S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable>(
  p: StatePattern3<S, A, B>, c: C
) -> StatePattern4<S, A, B, C> { StatePattern4(p.state, p.a, p.b, c) }

public func & <S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable>(
  p: StatePattern4<S, A, B, C>, d: D
) -> StatePattern5<S, A, B, C, D> { StatePattern5(p.state, p.a, p.b, p.c, d) }

public func & <S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable>(
  p: StatePattern5<S, A, B, C, D>, e: E
) -> StatePattern6<S, A, B, C, D, E> { StatePattern6(p.state, p.a, p.b, p.c, p.d, e) }

@available(*, unavailable, message: "name the state first: state & molecule")
public func & <S: SendableMetatype, A: Consumable>(
  a: A, state: State<S>
) -> StatePattern2<S, A> { fatalError("unavailable") }

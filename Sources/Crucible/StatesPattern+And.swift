/// The operator, with two states first.
///
/// ```swift
/// soup.react(giro & savings & transfer) { giro, savings, amount in … }
/// ```

public func & <S: SendableMetatype, T: SendableMetatype>(
  s: State<S>, t: State<T>
) -> StatesPattern2<S, T> { StatesPattern2(s, t) }

public func & <S: SendableMetatype, T: SendableMetatype, A: Consumable>(
  p: StatesPattern2<S, T>, a: A
) -> StatesPattern3<S, T, A> { StatesPattern3(p, a) }

public func & <S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable>(
  p: StatesPattern3<S, T, A>, b: B
) -> StatesPattern4<S, T, A, B> { StatesPattern4(p.states, p.a, b) }

public func & <S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable>(
  p: StatesPattern4<S, T, A, B>, c: C
) -> StatesPattern5<S, T, A, B, C> { StatesPattern5(p.states, p.a, p.b, c) }

public func & <S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable>(
  p: StatesPattern5<S, T, A, B, C>, d: D
) -> StatesPattern6<S, T, A, B, C, D> { StatesPattern6(p.states, p.a, p.b, p.c, d) }

@available(*, unavailable, message: "name both states first: state & state & molecule")
public func & <S: SendableMetatype, A: Consumable, T: SendableMetatype>(
  p: StatePattern2<S, A>, t: State<T>
) -> StatesPattern3<S, T, A> { fatalError("unavailable") }

@available(*, unavailable, message: "a pattern takes at most two states")
public func & <S: SendableMetatype, T: SendableMetatype, U: SendableMetatype>(
  p: StatesPattern2<S, T>, u: State<U>
) -> StatesPattern2<S, T> { fatalError("unavailable") }

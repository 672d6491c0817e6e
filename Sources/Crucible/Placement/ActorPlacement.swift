/// The placement of bodies that are isolated to an actor. The compiler checks the isolation.
public struct ActorPlacement<Isolation: Actor>: Sendable {
  let station: ActorStation<Isolation>

  /// On the actor, in a task: the actor is the body's first parameter. The soup keeps the actor.
  ///
  /// ```swift
  /// soup.react(deposit, on: .actor(account)) { account, x in account.balance += x }
  /// ```
  ///
  /// - Complexity: O(1), and a task for each body.
  public static func actor(_ actor: Isolation) -> ActorPlacement {
    ActorPlacement(station: ActorStation(actor, isKept: true))
  }

  /// On the actor, in a task, without keeping the actor: for an actor that keeps names of the soup.
  ///
  /// ```swift
  /// soup.react(deposit, on: .actor(weak: account)) { account, x in account.balance += x }
  /// ```
  ///
  /// When the actor is gone, the reaction still consumes its inputs. Its body does not run, but fails with
  /// ``ActorGone``. Callers get ``CallError/failed(_:)`` with this error; without callers, the soup's
  /// ``Soup/Options/onError`` gets it. States go back as they were.
  public static func actor(weak actor: Isolation) -> ActorPlacement {
    ActorPlacement(station: ActorStation(actor, isKept: false))
  }

  var actor: Isolation {
    get throws(ActorGone) {
      guard let actor = station.actor else { throw ActorGone() }
      return actor
    }
  }
}

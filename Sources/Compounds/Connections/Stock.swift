/// The hosts of a pool. A molecule owns it, and the state does not. So a stop, or the end of the soup, that drops the
/// molecule ends the idle connections.
@usableFromInline
class Stock<Key: Sendable, Connection: Sendable>: @unchecked Sendable {
  @usableFromInline typealias Host = Compounds.Host<Key, Connection>

  @usableFromInline let pool: PoolParts<Key, Connection>
  @usableFromInline let round: Round

  @usableFromInline
  init(_ pool: PoolParts<Key, Connection>, _ round: Round = Round()) { (self.pool, self.round) = (pool, round) }

  /// Returns the host of a key.
  @usableFromInline func host(_ key: Key) -> Host { fatalError("abstract") }
  /// The hosts that were used, and are not forgotten.
  @usableFromInline var all: [Host] { fatalError("abstract") }
  /// Whether no host has a connection, or a caller that waits.
  @usableFromInline var isEmpty: Bool { all.allSatisfy { $0.isEmpty } }
  /// Forgets a host that is empty.
  @usableFromInline func forget(_ host: Host) {}
}

/// The identity of a stock.
@usableFromInline
final class Round: Sendable {
  @inlinable init() {}
}

/// The stock of a pool for one host.
@usableFromInline
final class OneHost<Connection: Sendable>: Stock<Void, Connection>, @unchecked Sendable {
  private let only: Host

  @usableFromInline
  override init(_ pool: PoolParts<Void, Connection>, _ round: Round = Round()) {
    only = Host((), pool, round)
    super.init(pool, round)
  }

  deinit { only.end() }

  @usableFromInline override func host(_: Void) -> Host { only }
  @usableFromInline override var all: [Host] { [only] }
}

/// The stock of a pool for several hosts.
@usableFromInline
final class HostsByKey<Key: Hashable & Sendable, Connection: Sendable>: Stock<Key, Connection>, @unchecked Sendable {
  private var hosts = Ordered<Key, Host>()

  deinit { for host in all { host.end() } }

  @usableFromInline
  override func host(_ key: Key) -> Host {
    if let host = hosts[key] { return host }
    let host = Host(key, pool, round)
    hosts[key] = host
    return host
  }
  @usableFromInline override var all: [Host] { hosts.values }
  @usableFromInline
  override func forget(_ host: Host) {
    if hosts[host.key] === host { hosts[host.key] = nil }
  }
}

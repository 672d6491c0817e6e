public import Crucible

extension PoolParts {
  /// The names that leave the definition of a pool.
  @usableFromInline
  typealias Names = (
    take: FastInjector<Key, Lease>, giveBack: Injector<Lease>, discard: Injector<Lease>, control: Soup.Control
  )

  /// The state of a pool.
  @usableFromInline
  struct Hold {
    /// Nil before the first use, after a clear, and after the end.
    @usableFromInline weak var stock: Stock<Key, Connection>?
    @usableFromInline var isDraining = false
    /// Whether a body keeps the drain from ending.
    @usableFromInline var isLasting = false

    @inlinable init() {}
  }

  @inlinable
  func settle(_ host: Host, _ stock: Stock<Key, Connection>, isDraining: Bool) {
    host.settle(isDraining: isDraining)
    if host.isEmpty { stock.forget(host) }
  }

  /// Declares the reactions of a pool. The closures make the stock, and what one connection needs.
  @inlinable
  func declare(
    in soup: Soup, _ madeAt: MadeAt, start: Key?, stock makeStock: @escaping @Sendable () -> Stock<Key, Connection>,
    make: @escaping @Sendable (Key) async throws -> Connection,
    check: (@Sendable (Connection) async throws -> Bool)?
  ) -> Names {
    let take = soup.fast("take", of: Key.self, returning: Lease.self)
    let giveBack = soup.slow("give back", of: Lease.self)
    let discard = soup.slow("discard", of: Lease.self)
    let hold = soup.state("stock") { Hold() }
    let open = soup.slow("open", of: Stock<Key, Connection>.self)
    let retired = soup.slow("retired")
    let draining = soup.slow("draining")
    let lasting = soup.slow("lasting")
    let drained = soup.fast("drained", returning: Void.self)
    let over = soup.slow("over")

    // The stock, or a new one. Nil if the soup is stopped.
    @Sendable func stock(_ hold: inout Hold) -> Stock<Key, Connection>? {
      if let stock = hold.stock { return stock }
      let new = makeStock()
      if !open(new) { return nil }
      hold.stock = new
      return new
    }
    @Sendable func settle(_ hosts: [Host], _ stock: Stock<Key, Connection>, _ hold: inout Hold) {
      for host in hosts { self.settle(host, stock, isDraining: true) }
      // The drain ends once no caller and no connection is left.
      if stock.isEmpty {
        hold.stock = nil
        retired()
      }
      if stock.isEmpty != hold.isLasting { return }
      hold.isLasting.toggle()
      if hold.isLasting { lasting() } else { over() }
    }
    @Sendable func settle(_ host: Host, _ stock: Stock<Key, Connection>, _ hold: inout Hold) {
      if hold.isDraining { return settle([host], stock, &hold) }
      self.settle(host, stock, isDraining: false)
    }
    @Sendable func takeBack(_ lease: Lease, isBroken: Bool, _ hold: inout Hold) {
      guard let host = lease.held.lender, lease.held.pool === self else {
        madeAt.misuse("\(isBroken ? "discarded" : "gave back") a connection that no caller has")
      }
      guard let stock = hold.stock, host.round === stock.round else {
        lease.held.lender = nil
        return
      }
      host.takeBack(lease.held, isBroken: isBroken)
      settle(host, stock, &hold)
    }

    soup.react(state: hold, take, on: .inline) { hold, call in
      guard let stock = stock(&hold) else {
        self.waiting(call)  // is refused, and so the caller gets the reason
        return
      }
      let host = stock.host(call.input)
      host.serve(call)
      settle(host, stock, &hold)
    }
    soup.react(state: hold, giveBack, on: .inline) { takeBack($1, isBroken: false, &$0) }
    soup.react(state: hold, discard, on: .inline) { takeBack($1, isBroken: true, &$0) }
    soup.react(state: hold, event, on: .inline) { hold, event in
      if case .start(let key) = event {
        if let stock = stock(&hold) { settle(stock.host(key), stock, &hold) }
        return
      }
      guard let stock = hold.stock, let host = event.host, host.round === stock.round else { return }
      defer { settle(host, stock, &hold) }
      switch event {
      case .start: break
      case .dialled(_, let result): try host.dialled(result)
      case .checked(_, let held, let isAlive): host.checked(held, isAlive: isAlive)
      case .closed: host.closing -= 1
      case .lost: host.taken -= 1
      case .gaveUp: host.gaveUp()
      case .alarm: host.alarmed()
      }
    }
    // What a stopped soup refuses closes itself.
    soup.react(dial) { host async throws in
      let result: Result<Held, any Error>
      do { result = .success(Held(try await make(host.key), self)) } catch { result = .failure(error) }
      if !self.event(.dialled(host, result)), case .failure(let error) = result { throw error }
    }
    soup.react(checking) { job async throws in
      do {
        self.event(.checked(job.host, job.held, isAlive: try await check?(job.held.connection) ?? true))
      } catch {
        self.event(.checked(job.host, job.held, isAlive: false))
        throw error
      }
    }
    soup.react(closing) { job async throws in
      job.held.isClosed = true
      defer { self.event(.closed(job.host)) }
      try await self.close(job.held.connection)
    }
    soup.react(waiting, ready, on: .inline) { call, grant in
      let isAnswered =
        switch grant.result {
        case .success(let lease): call.reply(lease)
        case .failure(let error): call.fail(error)
        }
      if !isAnswered { self.ready(grant) }
    }
    soup.react(late, ready, on: .inline) { _, grant in giveBack(try grant.result.get()) }

    soup.react(state: hold, draining, on: .inline) { hold, _ in
      hold.isDraining = true
      guard let stock = hold.stock else { return }
      settle(stock.all, stock, &hold)
    }
    // Its body keeps the drain from ending.
    soup.react(lasting) { _ async in try? await drained() }
    soup.react(drained, over, on: .inline) { call, _ in call.reply() }
    soup.react(open, retired, on: .inline) { _, _ in }
    soup.whenDraining(draining)
    if policy.minimum > 0, let start { event(.start(start)) }
    return (take, giveBack, discard, soup.control)
  }
}

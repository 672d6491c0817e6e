import Glibc

/// Makes a chemistry that fails smaller, as long as it still fails.
///
/// Failures are races, and some of them are hangs or crashes: so each candidate is tried in a process of its own, again
/// and again for some seconds. What fails once is taken.
struct Shrinker {
  private let path: String
  private let candidate: String
  private let matcher: String
  private let patience: Double
  /// How long one candidate is tried, and how long all.
  private let seconds = 3.0
  private let limit = Duration.seconds(180)

  init(_ path: String, on matcher: String, patience: Double) {
    self.path = path
    candidate = path + ".candidate"
    self.matcher = matcher
    self.patience = min(patience, 10)
  }

  func run() -> Int32 {
    defer {
      unlink(candidate)
      unlink(candidate + ".history")
    }
    guard let bytes = load(path) else {
      say("histories: cannot read \(path)")
      return 2
    }
    var smallest = Chemistry(bytes: bytes)
    if !fails(smallest) {
      say("does not fail within \(seconds) s, and is not shrunk: \(path)\n\(smallest)")
      return 2
    }
    let begin = ContinuousClock.now
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in smallest.smaller where ContinuousClock.now - begin < limit {
        if candidate == smallest || !fails(candidate) { continue }
        smallest = candidate
        isSmaller = true
        break
      }
    }
    save(smallest.bytes, as: path + ".small")
    rename(candidate + ".history", path + ".small.history")  // none, if it hung or crashed
    say("shrunk to \(path).small:\n\(smallest)")
    return 1
  }

  /// In a process of its own.
  private func fails(_ chemistry: Chemistry) -> Bool {
    save(chemistry.bytes, as: candidate)
    let arguments = [
      CommandLine.arguments[0], "--file", candidate, "--seconds", "\(seconds)", "--matcher", matcher, "--patience",
      "\(patience)",
      "--output", candidate,
    ]
    var vector = arguments.map { strdup($0) } + [nil]
    defer { for text in vector { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    let error = posix_spawn(&child, "/proc/self/exe", &actions, nil, &vector, environ)
    if error != 0 { fatalError("Histories: no process: \(String(cString: strerror(error)))") }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    let code = status >> 8 & 0xFF
    if status & 0x7F == 0 && code == 2 { fatalError("Histories: a candidate could not be tried") }
    return status != 0
  }
}

extension Chemistry {
  /// Those that are one step smaller, the largest steps first.
  var smaller: [Chemistry] {
    var found: [Chemistry] = []
    func add(_ change: (inout Chemistry) -> Void) {
      var copy = self
      change(&copy)
      copy.normalize()
      if copy != self { found.append(copy) }
    }
    for index in scripts.indices where scripts.count > 1 { add { $0.scripts.remove(at: index) } }
    for index in reactions.indices where reactions.count > 1 { add { $0.reactions.remove(at: index) } }
    if let next = [32: 16, 64: 32, 16: 8, 8: 4, 4: 2, 2: 1][rounds] { add { $0.rounds = next } }
    for thread in scripts.indices {
      for index in scripts[thread].indices { add { $0.scripts[thread].remove(at: index) } }
    }
    for index in reactions.indices {
      let reaction = reactions[index]
      for place in reaction.products.indices { add { $0.reactions[index].products.remove(at: place) } }
      for place in reaction.states.indices { add { $0.reactions[index].states.remove(at: place) } }
      for place in reaction.pattern.indices where reaction.pattern.count > 1 {
        add { $0.reactions[index].pattern.remove(at: place) }
      }
      add { $0.reactions[index].ending = .reply }
      add { $0.reactions[index].place = .inline }
    }
    for name in kinds.indices where kinds[name] == .plain || kinds[name] == .object { add { $0.kinds[name] = .void } }
    if rests { add { $0.rests = false } }
    if padding > 0 { add { $0.padding = 0 } }
    if beginsPaused { add { $0.beginsPaused = false } }
    for thread in scripts.indices {
      for index in scripts[thread].indices where scripts[thread][index].amount > 0 {
        add { $0.scripts[thread][index].amount = 0 }
      }
    }
    return found
  }
}

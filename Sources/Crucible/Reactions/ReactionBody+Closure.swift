import CCrucible
import CTask

// The closure of a reaction, and how the core calls it. Swift retains a closure that a variable holds around each call,
// so the library calls it by its two words. Package.swift names the toolchains whose layout of closures and objects is
// known (`Placement/RuntimeEntry.swift`).

extension ReactionBody {
  #if CRUCIBLE_PUBLIC_RUNTIME
    struct Closure {
      fileprivate var run: Run?

      init(_ run: __owned @escaping Run) { self.run = run }

      /// Whether the captured values have been released.
      var isEmpty: Bool { run == nil }

      /// Releases the captured values. That may run any code, so this object no longer refers to the closure by then.
      mutating func end() { _ = run.take() }
    }

    static let call: crucible_body = { context, inputs in
      Unmanaged<ReactionBody>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.closure.run!($0, inputs) }
    }
  #else
    /// The two words of a `Run`. This type owns the closure.
    struct Closure {
      fileprivate private(set) var code: UnsafeRawPointer?
      private var context: UnsafeRawPointer?

      private struct Words { let run: Run }

      /// Moves the closure in. A copy of its words alone would not retain anything.
      init(_ run: __owned @escaping Run) {
        withUnsafeMutablePointer(to: &self) { words in
          _ = UnsafeMutableRawPointer(words).initializeMemory(as: Words.self, to: Words(run: run))
        }
      }

      var isEmpty: Bool { context == nil }

      mutating func end() {
        guard let old = context.take() else { return }
        Unmanaged<AnyObject>.fromOpaque(old).release()
      }
    }

    static let call: crucible_body = crucible_task_run

    var isFoundByTheCore: Bool {
      let stored = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) + 2 * MemoryLayout<UInt>.size
      return stored.load(as: UnsafeRawPointer?.self) == closure.code
    }
  #endif
}

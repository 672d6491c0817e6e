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

      /// Whether nothing that was captured is left.
      var isEmpty: Bool { run == nil }

      /// Releases what was captured. That may be anything, so the closure no longer refers to it by then.
      mutating func end() { _ = run.take() }
    }

    static let call: crucible_body = { context, inputs in
      Unmanaged<ReactionBody>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.closure.run!($0, inputs) }
    }
  #else
    /// The two words of a `Run`, which they own.
    struct Closure {
      fileprivate private(set) var code: UnsafeRawPointer?
      private var context: UnsafeRawPointer?

      private struct Words { let run: Run }

      /// Moves it in: a copy of its words alone would keep nothing alive.
      init(_ run: __owned @escaping Run) {
        withUnsafeMutablePointer(to: &self) { words in
          _ = UnsafeMutableRawPointer(words).initializeMemory(as: Words.self, to: Words(run: run))
        }
      }

      /// Whether nothing that was captured is left.
      var isEmpty: Bool { context == nil }

      /// Releases what was captured. That may be anything, so the closure no longer refers to it by then.
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

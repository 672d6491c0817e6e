import Crucible
import CrucibleTestSupport

/// Makes an observer that writes its events down.
func told(to log: Log<String>) -> @Sendable (Soup.Event) -> Void { { log.append(words($0)) } }

/// Describes an event without the places in the source.
func words(_ event: Soup.Event) -> String {
  switch event.kind {
  case .consumed(let molecule, let reaction): "consumed \(molecule) by \(reaction.pattern)"
  case .started(let reaction): "started \(reaction.pattern)"
  case .finished(let reaction): "finished \(reaction.pattern)"
  case .threw(let reaction, let error): "threw \(reaction.pattern): \(error)"
  default: String(event.description.dropFirst("\(event.soup): ".count))
  }
}

@Sendable func ignored(_: ReactionError) {}

/// Makes a soup whose one reaction does nothing, on the injecting thread.
func quick(_ label: String, _ matcher: Matcher = .word) -> (Injector<Void>, Soup.Control) {
  matcher.on(.inline).react(slow("a"), named: label) { _ in }
}

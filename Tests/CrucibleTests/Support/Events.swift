import Crucible
import CrucibleTestSupport

/// Makes an observer that writes its events down.
func told(to log: Log<String>) -> @Sendable (Soup.Event) -> Void { { log.append(words($0)) } }

/// Describes an event without the places in the source.
func words(_ event: Soup.Event) -> String {
  switch event.kind {
  case .consumed(let molecule, let site): "consumed \(molecule) by \(site.pattern)"
  case .started(let site): "started \(site.pattern)"
  case .finished(let site): "finished \(site.pattern)"
  case .threw(let site, let error): "threw \(site.pattern): \(error)"
  default: String(event.description.dropFirst("\(event.soup): ".count))
  }
}

import Crucible
import Inspector

let inspector = try await Inspector.serve()
print("\(Soup.all.controls.count) soups at \(inspector.url.prefix(17))")

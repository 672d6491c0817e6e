// A crawler visits each page that can be reached from the first one, and ends when no page is left.
//
// Nobody counts the pages that are still loaded. The completion of the first visit is the end of all that it causes.

import Crucible

func crawl<Page: Hashable & Sendable>(
  from first: Page, _ options: Soup.Options = .init(), links: @escaping @Sendable (Page) async -> [Page]
) async throws -> Set<Page> {
  let (visit, all) = Soup.define("crawler", with: options) { soup in
    let known = soup.state("known", Set<Page>())
    let visit = soup.slow("visit", of: Page.self)
    let load = soup.slow("load", of: Page.self)
    let all = soup.fast("all", returning: Set<Page>.self)
    soup.react(state: known, visit) { known, page in if known.insert(page).inserted { load(page) } }
    soup.react(load) { page async in for link in await links(page) { visit(link) } }
    soup.react(state: known, all) { known, call in call.reply(known) }
    return (visit, all)
  }
  try await visit.completion(of: first)
  return try await all()
}

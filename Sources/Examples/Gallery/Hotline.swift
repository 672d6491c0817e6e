// A hotline with few experts. A caller that has waited too long hangs up, and is called back.

import Crucible

typealias Hotline = (ask: Injector<String>, expert: Injector<String>, control: Soup.Control)

/// A hotline that connects each question with the next expert who is free. A question that has waited for
/// `patience`, or for a shorter time that it comes with, goes to `missed`, and never to an expert.
func makeHotline(
  patience: Duration, _ options: Soup.Options = .init(), connect: @escaping @Sendable (String, String) -> Void,
  missed: @escaping @Sendable (String) -> Void
) -> Hotline {
  Soup.define("hotline", with: options) { soup in
    let callBack = soup.slow("call back", of: String.self)
    let ask = soup.slow("ask", of: String.self, expires: patience, into: callBack)
    let expert = soup.slow("expert", of: String.self)
    soup.react(ask, expert) { question, name in connect(question, name) }
    soup.react(callBack) { question in missed(question) }
    return (ask, expert, soup.control)
  }
}

// Dining philosophers in a window, as CocoaJoin's DinPhil5 shows them: Sources/PhilosophersWindow/run starts it.
//
// The reaction that draws is placed on GTK's loop, so its body may use all parts of the window.

import Foundation

let arguments = CommandLine.arguments.dropFirst()
if !Window(reports: arguments.contains("--report")).run(seats: 5) {
  FileHandle.standardError.write(Data("There is no display.\n".utf8))
  exit(1)
}

import CrucibleTestSupport
import Foundation
import Testing

/// The script that runs the evidence for hours.
@Suite(.watched)
struct `The soak` {
  @Test
  func `A soak in which a part never ran fails`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The build, which takes all of the time.
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "swift"), withDestinationURL: URL(filePath: "/bin/true"))
    let soak = Process()
    soak.executableURL = URL(filePath: #filePath).appending(path: "../../../soak").standardizedFileURL
    soak.arguments = ["0"]
    soak.environment = ["PATH": "\(folder.path()):/usr/bin:/bin"]
    let pipe = Pipe()
    soak.standardOutput = pipe
    try soak.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    soak.waitUntilExit()
    #expect(soak.terminationStatus == 1)
    #expect(text.contains("FAILED schedules never ran"))
  }
}

import CWindow
import Crucible
import Foundation

/// The contents of the window. Only GTK's thread uses them, because the reactions are placed there.
final class Window: @unchecked Sendable {
  private let loop = GTKLoop()
  private let pace = Pace()
  private let reports: Bool
  private var moods: [Mood] = []
  private var meals: [Int] = []
  private var table: (think: [Injector<Void>], forks: [Injector<Void>], control: Soup.Control)?
  private var isBusy = false
  /// The number of the table that is shown. The window ignores changes of an earlier table.
  private var round = 0

  static let matchers = Soup.Matcher.all

  /// - Parameter reports: whether the program prints each change on the standard output, for tests.
  init(reports: Bool) { self.reports = reports }

  /// Shows the window until the user closes it. Returns false if there is no display.
  func run(seats: Int) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    var calls = window_calls(
      context: context,
      draw: { context, cairo, width, height in Window.of(context).draw(cairo, Double(width), Double(height)) },
      restart: { Window.of($0).restart() },
      speed: { Window.of($0).pace.set($1) })
    window_post({ Window.of($0).begin() }, context)
    let labels = Window.matchers.map { strdup($0.description)! }
    defer { for label in labels { free(label) } }
    var list = labels.map { Optional(UnsafePointer($0)) } + [nil]
    return list.withUnsafeMutableBufferPointer { list in
      list.baseAddress!.withMemoryRebound(to: UnsafePointer<CChar>.self, capacity: list.count) {
        window_run(&calls, $0, Int32(seats))
      }
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Window {
    Unmanaged<Window>.fromOpaque(context!).takeUnretainedValue()
  }

  private func begin() {
    let seats = Int(window_seats())
    (moods, meals) = (Array(repeating: .thinking, count: seats), Array(repeating: 0, count: seats))
    round += 1
    let matcher = Window.matchers[Int(window_matcher())]
    let table = makeTable(seats: seats, matcher, on: loop, pace: pace) { [self, round] change in
      if round == self.round { show(change) }
    }
    self.table = table
    if reports { print("table of \(seats) by \(matcher)") }
    for name in table.forks + table.think { name() }
    window_redraw()
  }

  private func show(_ change: Change) {
    moods[change.seat] = change.mood
    if change.mood == .eating { meals[change.seat] += 1 }
    window_set_text("meals: " + meals.map(String.init).joined(separator: "  "))
    window_redraw()
    if reports {
      print("seat \(change.seat) \(change.mood)")
      fflush(nil)
    }
  }

  /// Stops the soup, waits until it is quiet, and begins anew.
  private func restart() {
    guard !isBusy, let table else { return }
    isBusy = true
    window_set_busy(true)
    window_redraw()
    if reports { print("stopping") }
    // Detached, because the main actor's thread is GTK's, and runs no tasks.
    Task.detached { [self] in
      let report = await table.control.stop(within: .seconds(60))
      window_post(
        { context in
          let window = Window.of(context)
          window.isBusy = false
          window_set_busy(false)
          window.begin()
        }, Unmanaged.passUnretained(self).toOpaque())
      if reports { print(report.isQuiet ? "quiet" : "not quiet") }
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Drawing
  // -------------------------------------------------------------------------------------------------------------------

  private func draw(_ cairo: OpaquePointer, _ width: Double, _ height: Double) {
    let (x, y, size) = (width / 2, height / 2, min(width, height) / 2)
    colour(cairo, 0.96, 0.96, 0.97)
    cairo_paint(cairo)
    colour(cairo, 0.80, 0.68, 0.52)
    disc(cairo, x, y, size * 0.56)
    for seat in moods.indices {
      let angle = 2 * Double.pi * Double(seat) / Double(moods.count) - .pi / 2
      drawPhilosopher(seat, cairo, x + cos(angle) * size * 0.8, y + sin(angle) * size * 0.8, size)
      drawPlate(seat, cairo, x + cos(angle) * size * 0.42, y + sin(angle) * size * 0.42, size)
      drawFork(between: (seat + moods.count - 1) % moods.count, and: seat, cairo, x, y, size)
    }
    if isBusy { text(cairo, "waiting until all is quiet", x, y, size * 0.07) }
  }

  private func drawPhilosopher(_ seat: Int, _ cairo: OpaquePointer, _ x: Double, _ y: Double, _ size: Double) {
    switch moods[seat] {
    case .thinking: colour(cairo, 0.62, 0.75, 0.92)
    case .hungry: colour(cairo, 0.95, 0.55, 0.45)
    case .eating: colour(cairo, 0.50, 0.80, 0.50)
    }
    let radius = size * min(0.15, 1.4 / Double(moods.count))
    disc(cairo, x, y, radius)
    text(cairo, "\(moods[seat])", x, y - radius * 0.1, radius * 0.36)
    text(cairo, "\(meals[seat])", x, y + radius * 0.5, radius * 0.42)
  }

  private func drawPlate(_ seat: Int, _ cairo: OpaquePointer, _ x: Double, _ y: Double, _ size: Double) {
    colour(cairo, 0.98, 0.98, 0.98)
    disc(cairo, x, y, size * min(0.085, 0.7 / Double(moods.count)))
  }

  /// Draws a fork in the hand of the philosopher that eats, or on the table between both. Fork i lies left of seat i.
  private func drawFork(
    between left: Int, and right: Int, _ cairo: OpaquePointer, _ x: Double, _ y: Double, _ size: Double
  ) {
    let step = 2 * Double.pi / Double(moods.count)
    var angle = step * (Double(right) - 0.5) - .pi / 2
    if moods[right] == .eating { angle += step * 0.28 } else if moods[left] == .eating { angle -= step * 0.28 }
    let isHeld = moods[right] == .eating || moods[left] == .eating
    let (from, to) = isHeld ? (0.48, 0.66) : (0.34, 0.50)
    colour(cairo, 0.25, 0.27, 0.32)
    cairo_set_line_width(cairo, size * 0.014)
    cairo_move_to(cairo, x + cos(angle) * size * from, y + sin(angle) * size * from)
    cairo_line_to(cairo, x + cos(angle) * size * to, y + sin(angle) * size * to)
    cairo_stroke(cairo)
    disc(cairo, x + cos(angle) * size * from, y + sin(angle) * size * from, size * 0.018)
  }

  private func colour(_ cairo: OpaquePointer, _ red: Double, _ green: Double, _ blue: Double) {
    cairo_set_source_rgb(cairo, red, green, blue)
  }

  private func disc(_ cairo: OpaquePointer, _ x: Double, _ y: Double, _ radius: Double) {
    cairo_arc(cairo, x, y, radius, 0, 2 * .pi)
    cairo_fill(cairo)
  }

  /// Draws a text in the middle of a place.
  private func text(_ cairo: OpaquePointer, _ text: String, _ x: Double, _ y: Double, _ height: Double) {
    colour(cairo, 0.1, 0.12, 0.16)
    cairo_set_font_size(cairo, height)
    var extents = cairo_text_extents_t()
    cairo_text_extents(cairo, text, &extents)
    cairo_move_to(cairo, x - extents.width / 2 - extents.x_bearing, y + height / 3)
    cairo_show_text(cairo, text)
  }
}

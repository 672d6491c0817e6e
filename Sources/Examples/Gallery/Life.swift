// The Game of Life without a clock. Each cell is a soup, and waits only for its eight neighbours.
//
// A neighbour may be one generation ahead, never two, because it needs this cell's value too. So even and odd
// generations have separate names, and a cell never takes a value that is meant for its next turn.

import Crucible

/// A cell at its turn. It has the names by which it sends its value to its neighbours, for even and for odd
/// generations.
struct Cell: Sendable {
  var isAlive: Bool
  var generation = 0
  var neighbours: [[Injector<Bool>]] = [[], []]
}

typealias CellNames = (turn: [Injector<Cell>], hear: [Injector<Bool>])

/// A cell that calls `report` at the given generation.
func makeCell(
  until generations: Int, _ options: Soup.Options, report: @escaping @Sendable (Bool) -> Void
) -> CellNames {
  Soup.define("cell", with: options) { soup in
    let turn = soup.slow("turn", of: Cell.self, count: 2)
    let hear = soup.slow("hear", of: Bool.self, count: 2)
    for parity in 0..<2 {
      soup.react(turn[parity], Array(repeating: hear[parity], count: 8)) { cell, values in
        let count = values.count { $0 }
        var next = cell
        next.isAlive = count == 3 || count == 2 && cell.isAlive
        next.generation += 1
        begin(next, turn[1 - parity], until: generations, report)
      }
    }
    return (turn, hear)
  }
}

/// Tells the neighbours, unless the game is over.
private func begin(_ cell: Cell, _ turn: Injector<Cell>, until end: Int, _ report: (Bool) -> Void) {
  if cell.generation == end { return report(cell.isAlive) }
  turn(cell)
  for neighbour in cell.neighbours[cell.generation % 2] { neighbour(cell.isAlive) }
}

/// Returns the torus `world[row][column]` after so many generations.
///
/// On a torus of fewer than three rows or columns a cell meets the same neighbour several times, or itself. It gets a
/// molecule for each meeting, so nothing waits for a ninth cell. In an empty world no cell would ever report.
func play(_ world: [[Bool]], generations: Int, _ options: Soup.Options = .init()) async throws -> [[Bool]] {
  let (rows, columns) = (world.count, world.first?.count ?? 0)
  if generations == 0 || columns == 0 { return world }
  let (collect, result) = makeCollector(of: rows * columns, Bool.self, options)
  let cells = (0..<rows * columns).map { number in
    makeCell(until: generations, options) { collect((number, $0)) }
  }
  for row in 0..<rows {
    for column in 0..<columns {
      let around = (0..<9).filter { $0 != 4 }.map {
        (row + $0 / 3 + rows - 1) % rows * columns + (column + $0 % 3 + columns - 1) % columns
      }
      // Weak, because cells that owned each other would keep each other alive for ever.
      let neighbours = (0..<2).map { parity in around.map { cells[$0].hear[parity].weak } }
      let cell = Cell(isAlive: world[row][column], neighbours: neighbours)
      begin(cell, cells[row * columns + column].turn[0], until: generations) { _ in }
    }
  }
  let last = try await result()
  return withExtendedLifetime(cells) { (0..<rows).map { Array(last[$0 * columns..<($0 + 1) * columns]) } }
}

/// Collects `count` numbered values, and replies with all of them.
func makeCollector<Value: Sendable>(
  of count: Int, _ type: Value.Type, _ options: Soup.Options
) -> (collect: Injector<(number: Int, value: Value)>, result: FastInjector<Void, [Value]>) {
  Soup.define("collector", with: options) { soup in
    let values = soup.state("values", [Int: Value]())
    let collect = soup.slow("collect", of: (number: Int, value: Value).self)
    let complete = soup.slow("complete", of: [Value].self)
    let result = soup.fast("result", returning: [Value].self)
    soup.react(state: values, collect) { values, new in
      values[new.number] = new.value
      if values.count == count { complete((0..<count).map { values[$0]! }) }
    }
    soup.react(result, complete) { call, values in call.reply(values) }
    if count == 0 { complete([]) }
    return (collect, result)
  }
}

// The queens: all placements of n queens on an n × n board such that none attacks another.
//
// A board that is filled up to a row is a molecule. Its reaction injects one molecule for each safe place in the next
// row. The number of boards is not known in advance. The state counts the boards in progress. At 0 the work is done.

import Crucible

func queens(on n: Int, _ options: Soup.Options = .init()) async throws -> [[Int]] {
  let (_, result) = Soup.define("queens", with: options) { soup in
    let board = soup.slow("board", of: [Int].self)
    let tried = soup.slow("tried", of: (board: [Int], children: Int).self)
    let search = soup.state("search", (underWay: 1, found: [[Int]]()))
    let complete = soup.slow("complete", of: [[Int]].self)
    let result = soup.fast("result", returning: [[Int]].self)

    soup.react(board) { rows in
      let places = rows.count == n ? [] : (0..<n).filter { isSafe($0, after: rows) }
      tried((rows, places.count))
      for place in places { board(rows + [place]) }
    }
    soup.react(state: search, tried) { search, one in
      search.underWay += one.children - 1
      if one.board.count == n { search.found.append(one.board) }
      if search.underWay == 0 { complete(search.found) }
    }
    soup.react(result, complete) { call, found in call.reply(found) }

    board([])
    return (board, result)
  }
  return try await result().sorted { $0.lexicographicallyPrecedes($1) }
}

private func isSafe(_ place: Int, after rows: [Int]) -> Bool {
  rows.enumerated().allSatisfy { row, other in other != place && abs(other - place) != rows.count - row }
}

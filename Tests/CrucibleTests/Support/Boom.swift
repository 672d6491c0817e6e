/// An error that bodies throw.
struct Boom: Error, Equatable {
  let number: Int
  init(_ number: Int) { self.number = number }
}

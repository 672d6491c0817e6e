// A bank with an account for each customer: transfers between any two run at the same time as all others.
//
//   swift run bank
//
// The account is a state with a key, so each customer has one of his own. A transfer takes the money out of one account
// and puts it into another one, by two reactions. In between the money is a molecule, and nothing is ever lost.

import Crucible

struct Transfer: Sendable {
  let from: String, to: String
  let amount: Int
}

let customers = ["Ada", "Alan", "Barbara", "Edsger", "Grace", "Tony"]
let bank = Soup.define("bank") { soup in
  let account = soup.state("account", key: String.self) { _ in 100 }
  let transfer = soup.slow("transfer", of: Transfer.self, key: \.from)
  let deposit = soup.slow("deposit", of: Transfer.self, key: \.to)
  let balance = soup.fast("balance", of: String.self, key: \.self, returning: Int.self)
  let refused = soup.slow("refused", of: Transfer.self)

  soup.react(state: account, transfer) { account, transfer in
    if account < transfer.amount {
      refused(transfer)
    } else {
      account -= transfer.amount
      deposit(transfer)
    }
  }
  soup.react(state: account, deposit) { account, transfer in account += transfer.amount }
  soup.react(state: account, balance) { account, call in call.reply(account) }
  soup.react(refused) { transfer in
    if transfer.amount > 100 { print("\(transfer.from) cannot pay \(transfer.amount) to \(transfer.to)") }
  }
  return (transfer: transfer, balance: balance, control: soup.control)
}

for round in 1...1_000 {
  for (from, to) in zip(customers, customers.dropFirst() + customers.prefix(1)) {
    bank.transfer(Transfer(from: from, to: to, amount: round % 7))
  }
}
bank.transfer(Transfer(from: "Tony", to: "Ada", amount: 1_000))
await bank.control.quiet(within: .seconds(10))

var sum = 0
for customer in customers {
  let balance = try await bank.balance(customer)
  sum += balance
  print("\(customer) has \(balance)")
}
print("together they have \(sum)")

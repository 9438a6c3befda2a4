import PaymentClient

/// Buys a product once, whatever crashes in between. Run it again with the same order: nothing is
/// paid twice.
struct Buy {
    let order: String
    let product: String
    let token: String?

    func run() async throws {
        let client = PaymentQueueClient(name: "buy")
        let keys = IdempotencyKeys(path: kept("KEYS", "keys.json"))
        let outcome = try await client.buyOnce(
            product, intent: order, keys: keys, appAccountToken: token, within: .seconds(30))
        switch outcome {
        case .settled(let transaction):
            say("\(order): \(describe(transaction))")
            guard transaction.state != .failed else { throw ExitStatus(code: 1) }
            try Goods().settle(transaction)
            say("finish: \(try await client.finish(transaction.id))")
            guard !transaction.isRevoked else { throw ExitStatus(code: 1) }
        case .left(_, let reason):
            say("done before: \(reason)")
            guard reason == "finished" else { throw ExitStatus(code: 1) }
        case .waiting(let transaction):
            say(transaction.map(describe) ?? "\(product) waits")
            throw ExitStatus(code: 4)
        }
        await client.close()
    }
}

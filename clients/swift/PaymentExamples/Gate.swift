import PaymentClient
import StrictJSON

/// Answers the question whether a purchase continues in another country, up to a price.
struct Gate {
    let highest: Double
    let isOnce: Bool

    func run() async throws {
        let client = PaymentQueueClient(name: "gate")
        // The policy is one for the whole queue and outlives this program: it is put back at the end. A
        // gate that was killed leaves "ask" behind.
        let found = try await client.call("delegate")
        _ = try await client.call(
            "delegate", ["mode": "ask", "timeout": 60, "fallback": .bool(false)])
        try await answerAll(client)
        _ = try await client.call(
            "delegate",
            [
                "mode": found["mode"] ?? "continue", "timeout": found["timeout"] ?? 60,
                "fallback": found["fallback"] ?? .bool(true),
            ])
    }

    /// Answers what is open and what comes; with `--once` only until the first that came.
    private func answerAll(_ client: PaymentQueueClient) async throws {
        // Subscribed before the list is asked for, so that none is missed in between.
        let steps = ResumingNotifications(
            path: client.path,
            parameters: [JSONMember(name: "kinds", value: ["questionOpened"])])
        for try await step in steps {
            switch step {
            case .opened:
                let open = try await client.call("questions")
                for question in open["questions"]?.arrayValue ?? [] {
                    try await decide(question, client)
                }
                say("ready")
            case .notification(let notification, _):
                let params = notification.params
                guard params["kind"]?.stringValue == "questionOpened" else { continue }
                guard params["type"]?.stringValue == "shouldContinue" else { continue }
                try await decide(params, client)
                if isOnce { return }
            case .restarted, .lost: continue
            }
        }
    }

    private func decide(_ question: JSONValue, _ client: PaymentQueueClient) async throws {
        guard let id = question["question"] else { return }
        var product = question["product"]
        if product == nil, let transaction = question["transaction"] {
            let found = try await client.call("transactions", ["ids": .array([transaction])])
            product = found["transactions"]?[0]?["payment"]?["product"]
        }
        let price = product?["price"]?["value"]?.numberText.flatMap(Double.init) ?? .infinity
        do {
            _ = try await client.call("answer", ["question": id, "value": .bool(price <= highest)])
        } catch let error as RPCError where error.code == 1402 {
            // Another client was quicker; the first answer wins.
        }
        let type = question["type"]?.stringValue ?? "?"
        say("\(type) \(price) \(price <= highest)")
    }
}

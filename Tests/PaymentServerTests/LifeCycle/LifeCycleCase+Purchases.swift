import StrictJSON

extension LifeCycleCase {
    /// What is bought and paid, or not.
    static let purchases: [LifeCycleCase] = [
        LifeCycleCase("bought") { buyer in
            try await buyer.begin()
            try await buyer.buy("book", "A")
        },
        LifeCycleCase("bought and finished") { buyer in
            try await buyer.begin()
            try await buyer.buyAndFinish("book", "A")
        },
        LifeCycleCase("consumable bought again") { buyer in
            try await buyer.buyAndFinish("coins", "A")
            try await buyer.begin()
            try await buyer.buy("coins", "B")
        },
        LifeCycleCase("owned product bought again") { buyer in
            try await buyer.buyAndFinish("book", "A")
            try await buyer.begin()
            try await buyer.buy("book", "B")
        },
        LifeCycleCase("interrupted") { buyer in
            try await buyer.client.set(["interruptedPurchasesEnabled": true])
            try await buyer.begin()
            _ = try await buyer.add("book", "A")
            try await buyer.hearTransaction { $0["transactionState"] == "failed" }
        },
        LifeCycleCase("interrupted, then resolved") { buyer in
            try await buyer.client.set(["interruptedPurchasesEnabled": true])
            try await buyer.begin()
            let id = try await buyer.add("book", "A")
            try await buyer.hearTransaction { $0["transactionState"] == "failed" }
            try await buyer.control("resolve", ["transaction": id])
            try await buyer.hearTransaction { $0["transactionState"] == "purchased" }
        },
        LifeCycleCase("waiting for an approval") { buyer in
            try await buyer.client.set(["askToBuyEnabled": true])
            try await buyer.begin()
            _ = try await buyer.add("book", "A")
            try await buyer.hearTransaction { $0["waitingFor"] == "approval" }
        },
        LifeCycleCase("approved three days later") { buyer in
            let id = try await buyer.waiting()
            try await buyer.client.advanceStore(days: 3)
            try await buyer.begin()
            try await buyer.client.call("decide", ["transaction": id, "outcome": "approve"]).get()
            try await buyer.hearTransaction { $0["transactionState"] == "purchased" }
        },
        LifeCycleCase("not approved") { buyer in
            let id = try await buyer.waiting()
            try await buyer.begin()
            try await buyer.client.call("decide", ["transaction": id, "outcome": "decline"]).get()
            try await buyer.hearTransaction { $0["transactionState"] == "failed" }
        },
        LifeCycleCase("restored") { buyer in
            try await buyer.buyAndFinish("book", "A")
            try await buyer.begin()
            try await buyer.client.call("restore").get()
            try await buyer.hear("restoreCompleted")
        },
    ]

    /// What is taken back.
    static let revocations: [LifeCycleCase] = [
        LifeCycleCase("refunded before the finish") { buyer in
            let id = try await buyer.buy("book", "A")
            try await buyer.begin()
            try await buyer.control("refund", ["transaction": id])
            try await buyer.hearTransaction { $0["revocation"] != nil }
            try await buyer.hear("entitlementsRevoked")
        },
        LifeCycleCase("refunded before the finish, then finished") { buyer in
            let id = try await buyer.buy("book", "A")
            try await buyer.control("refund", ["transaction": id])
            try await buyer.hearTransaction { $0["revocation"] != nil }
            try await buyer.hear("entitlementsRevoked")
            try await buyer.begin()
            try await buyer.finish(id)
        },
        LifeCycleCase("refunded after the finish") { buyer in
            let id = try await buyer.buyAndFinish("book", "A")
            try await buyer.begin()
            try await buyer.control("refund", ["transaction": id])
            try await buyer.hear("entitlementsRevoked")
        },
        LifeCycleCase("deleted before the finish") { buyer in
            let id = try await buyer.buy("book", "A")
            try await buyer.begin()
            try await buyer.control("deleteOrder", ["transaction": id])
            try await buyer.hear("transactionsRemoved")
        },
    ]
}

extension LifeCycleBuyer {
    /// Adds what has to be approved, and waits until the store has said so.
    fileprivate func waiting() async throws -> JSONValue {
        try await client.set(["askToBuyEnabled": true])
        let id = try await add("book", "A")
        try await hearTransaction { $0["waitingFor"] == "approval" }
        return id
    }
}

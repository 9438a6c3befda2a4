import StrictJSON

extension LifeCycleCase {
    /// What becomes of a subscription.
    static let subscriptions: [LifeCycleCase] = [
        LifeCycleCase("subscribed") { buyer in
            try await buyer.begin()
            try await buyer.buy("silver", "A")
        },
        LifeCycleCase("running subscription bought again") { buyer in
            try await buyer.buyAndFinish("silver", "A")
            try await buyer.begin()
            try await buyer.buy("silver", "B")
        },
        LifeCycleCase("subscribed with an introductory offer") { buyer in
            try await buyer.begin()
            try await buyer.buy("bronze", "A")
        },
        LifeCycleCase("introductory offer over") { buyer in
            try await buyer.buyAndFinish("bronze", "A")
            try await buyer.begin()
            try await buyer.client.advanceStore(days: 8)
            try await buyer.hearRenewal()
        },
        LifeCycleCase("renewed") { buyer in
            try await buyer.buyAndFinish("silver", "A")
            try await buyer.begin()
            try await buyer.client.advanceStore(days: 32)
            try await buyer.hearRenewal()
        },
        LifeCycleCase("price raised, accepted") { buyer in
            try await buyer.buyAndFinish("silver", "A")
            try await buyer.control("priceIncrease", ["product": "silver", "answer": "consent"])
            try await buyer.begin()
            try await buyer.client.advanceStore(days: 32)
            try await buyer.hearRenewal()
        },
        LifeCycleCase("price raised, refused") { buyer in
            try await buyer.buyAndFinish("silver", "A")
            try await buyer.control("priceIncrease", ["product": "silver", "answer": "decline"])
            try await buyer.begin()
            try await buyer.client.advanceStore(days: 32)
        },
        LifeCycleCase("in billing retry") { buyer in
            try await buyer.unpaid(withGrace: false)
        },
        LifeCycleCase("in billing retry, bought again") { buyer in
            try await buyer.unpaid(withGrace: false)
            try await buyer.begin()
            try await buyer.buy("silver", "B")
        },
        LifeCycleCase("in grace") { buyer in
            try await buyer.unpaid(withGrace: true)
        },
        LifeCycleCase("in grace, bought again") { buyer in
            try await buyer.unpaid(withGrace: true)
            try await buyer.begin()
            try await buyer.buy("silver", "B")
        },
        LifeCycleCase("expired") { buyer in
            try await buyer.buyAndFinish("silver", "A")
            try await buyer.begin()
            try await buyer.control("expire", ["product": "silver"])
        },
        LifeCycleCase("expired, bought again with another token") { buyer in
            try await buyer.buyAndFinish("silver", "A")
            try await buyer.control("expire", ["product": "silver"])
            try await buyer.begin()
            try await buyer.buy("silver", "B")
        },
        LifeCycleCase("expired, bought again, renewed") { buyer in
            try await buyer.buyAndFinish("silver", "A")
            try await buyer.control("expire", ["product": "silver"])
            try await buyer.buyAndFinish("silver", "B")
            try await buyer.begin()
            try await buyer.client.advanceStore(days: 32)
            try await buyer.hearRenewal()
        },
    ]

    /// What becomes of a subscription when another one of its group is bought.
    static let changes: [LifeCycleCase] = [
        LifeCycleCase("upgraded") { buyer in
            try await buyer.change(from: "silver", to: "gold")
        },
        LifeCycleCase("crossgraded, equal period") { buyer in
            try await buyer.change(from: "silver", to: "copper")
        },
        LifeCycleCase("crossgraded, other period") { buyer in
            try await buyer.change(from: "silver", to: "yearly")
        },
        LifeCycleCase("crossgraded, other period, in effect") { buyer in
            try await buyer.change(from: "silver", to: "yearly")
            try await buyer.takeEffect()
        },
        LifeCycleCase("downgraded") { buyer in
            try await buyer.change(from: "gold", to: "silver")
        },
        LifeCycleCase("downgraded, in effect") { buyer in
            try await buyer.change(from: "gold", to: "silver")
            try await buyer.takeEffect()
        },
        LifeCycleCase("downgraded, then given up") { buyer in
            try await buyer.change(from: "gold", to: "silver")
            try await buyer.buy("gold", "C")
            try await buyer.hearTransaction { $0["revocation"] != nil }
            try await buyer.hear("entitlementsRevoked")
        },
    ]
}

extension LifeCycleBuyer {
    /// Subscribes, and lets the first renewal find no money. The case begins before that.
    fileprivate func unpaid(withGrace: Bool) async throws {
        try await buyAndFinish("silver", "A")
        try await client.set([
            "shouldEnterBillingRetryOnRenewal": true,
            "billingGracePeriodIsEnabled": .bool(withGrace),
        ])
        try await begin()
        try await client.advanceStore(days: 32)
    }

    /// Subscribes, and buys another subscription; the case is the second purchase.
    fileprivate func change(from old: String, to new: String) async throws {
        try await buyAndFinish(old, "A")
        try await begin()
        try await buy(new, "B")
    }

    /// Lets the day come on which a change takes effect; the case is what happens then.
    fileprivate func takeEffect() async throws {
        try await begin()
        try await client.advanceStore(days: 32)
        try await hearRenewal()
    }
}

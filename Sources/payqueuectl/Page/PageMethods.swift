/// The daemon methods that the page may call.
enum PageMethods {
    /// The methods without effects.
    static let reading: Set = [
        "hello", "status", "observers", "questions", "transactions", "events", "metrics",
        "products", "entitlements", "test.get", "test.orders", "test.clock.get",
    ]

    /// The methods that a read-only page must not call.
    static let acting: Set = [
        "add", "restore", "finish", "answer", "decide", "test.set", "test.buy", "test.refund",
        "test.resolve", "test.renew", "test.expire", "test.autoRenew", "test.priceIncrease",
        "test.deleteOrder", "test.clear", "test.reset", "test.clock.advance",
    ]

    /// The reason why the page may not call a method; nil if it may.
    static func refusal(of method: String, isReadOnly: Bool) -> String? {
        if reading.contains(method) { return nil }
        guard acting.contains(method) else { return "The page cannot call '\(method)'." }
        return isReadOnly ? "This page is read-only." : nil
    }
}

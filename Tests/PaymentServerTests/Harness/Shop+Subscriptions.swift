extension Shop {
    /// Subscriptions that somebody can change between, and one that begins with three months at a
    /// price of their own. Their prices never change.
    static var subscriptions: [String] {
        [
            tv("gold", level: 1, "month", "19.99"),
            tv("silver", level: 2, "month", "9.99"),
            tv("copper", level: 2, "month", "8.99"),
            tv("yearly", level: 2, "year", "99.99"),
            tv("bronze", level: 3, "month", "4.99", offer: freeWeek),
            subscription("paper", group: "paper", "month", "6.00", more: threeMonths),
        ]
    }

    private static let freeWeek = """
        "introductoryPrice": {
          "mode": "freeTrial", "period": {"unit": "week", "numberOfUnits": 1}},
        """

    private static let threeMonths = """
        "introductoryPrice": {
          "mode": "payAsYouGo", "period": {"unit": "month", "numberOfUnits": 1}, "periods": 3,
          "prices": {"DE": {"amount": "1.00", "currencyCode": "EUR"}}},
        """

    private static func tv(
        _ name: String, level: Int, _ unit: String, _ price: String, offer: String = ""
    ) -> String {
        subscription(
            name, group: "tv", unit, price, more: #""subscriptionLevel": \#(level), \#(offer)"#)
    }

    private static func subscription(
        _ name: String, group: String, _ unit: String, _ price: String, more: String
    ) -> String {
        product(
            name, "autoRenewableSubscription", price,
            more: """
                "subscriptionGroupIdentifier": "\(group)",
                "subscriptionPeriod": {"unit": "\(unit)", "numberOfUnits": 1}, \(more)
                """)
    }
}

import PaymentBackend
import PaymentCore
import PaymentTesting

/// A sandbox that sells what ``Samples`` sell, to the same accounts, and to two more.
enum Shop {
    /// Its catalogue.
    static func catalogue() throws -> StoreCatalogue {
        try CatalogueFile.load(bytes: Array(text.utf8), path: "shop")
    }

    /// Opens it.
    static func sandbox() throws -> Sandbox {
        Sandbox(
            store: try catalogue(), journal: MemorySandboxJournal(),
            environment: .init(executor: QueueExecutor(), now: { Samples.noon }))
    }

    private static let accounts = """
        {"name": "anna", "country": "DE"},
        {"name": "bert", "country": "FR"},
        {"name": "carl", "country": "DE", "credential": "open-sesame"},
        {"name": "dora", "country": "DE", "paymentsAllowed": false}
        """

    private static let text = """
        {
          "version": 1, "defaultCountry": "DE", "locale": "en_US", "accounts": [\(accounts)],
          "products": [
            \(product("coins", "consumable")),
            \(product("book", "nonConsumable", isSoldInNorway: false)),
            \(product("pass", "nonRenewingSubscription")),
            \(product("club", "autoRenewableSubscription", more: club))
          ]
        }
        """

    private static let club = """
        "subscriptionGroupIdentifier": "club",
        "subscriptionPeriod": {"unit": "month", "numberOfUnits": 1},
        """

    private static func product(
        _ name: String, _ type: String, isSoldInNorway: Bool = true, more: String = ""
    ) -> String {
        let norway = isSoldInNorway ? #", "NO": {"amount": "119", "currencyCode": "NOK"}"# : ""
        return """
            {"productIdentifier": "\(name)", "type": "\(type)", "localizedTitle": "\(name)",
             "localizedDescription": "A sample", \(more)
             "prices": {
               "DE": {"amount": "9.99", "currencyCode": "EUR"},
               "FR": {"amount": "8.49", "currencyCode": "EUR"}\(norway)
             }}
            """
    }
}

import PaymentCore
import PaymentSandbox
import PaymentTesting

/// A sandbox that sells what ``Samples`` sell and more subscriptions, to the same accounts, and to two
/// more.
enum Shop {
    /// Its catalogue.
    static func catalogue(germanPrice: String = "9.99") throws -> StoreCatalogue {
        try CatalogueFile.load(bytes: Array(text(germanPrice: germanPrice).utf8), path: "shop")
    }

    /// Opens it.
    static func sandbox(
        _ catalogue: StoreCatalogue? = nil, _ state: SandboxState = SandboxState()
    ) throws -> SandboxService {
        SandboxService(
            store: try catalogue ?? Self.catalogue(), state: state, journal: MemorySandboxJournal(),
            environment: .init(
                executor: QueueExecutor(), now: { Samples.noon }, keys: SampleKeys()))
    }

    private static let accounts = """
        {"name": "anna", "country": "DE"},
        {"name": "bert", "country": "FR"},
        {"name": "carl", "country": "DE", "credential": "open-sesame"},
        {"name": "dora", "country": "DE", "paymentsAllowed": false}
        """

    /// Its catalogue as a file.
    ///
    /// - Parameter germanPrice: What everything costs in Germany.
    /// - Returns: The text of the file.
    static func text(germanPrice: String = "9.99") -> String {
        let products =
            [
                product("coins", "consumable", germanPrice, more: coins),
                product("book", "nonConsumable", germanPrice, isSoldInNorway: false),
                product("pass", "nonRenewingSubscription", germanPrice),
                product("club", "autoRenewableSubscription", germanPrice, more: club),
            ] + subscriptions
        return """
            {
              "version": 1, "defaultCountry": "DE", "locale": "en_US", "accounts": [\(accounts)],
              "products": [\(products.joined(separator: ","))]
            }
            """
    }

    private static let coins = """
        "localizations": [
          {"locale": "de_DE", "displayName": "Taler", "description": "Ein Beispiel"}
        ],
        """

    private static let club = """
        "subscriptionGroupIdentifier": "club",
        "subscriptionPeriod": {"unit": "month", "numberOfUnits": 1},
        """

    static func product(
        _ name: String, _ type: String, _ price: String, isSoldInNorway: Bool = true,
        more: String = ""
    ) -> String {
        let norway = isSoldInNorway ? #", "NO": {"amount": "119", "currencyCode": "NOK"}"# : ""
        return """
            {"productIdentifier": "\(name)", "type": "\(type)", "localizedTitle": "\(name)",
             "localizedDescription": "A sample", \(more)
             "prices": {
               "DE": {"amount": "\(price)", "currencyCode": "EUR"},
               "FR": {"amount": "8.49", "currencyCode": "EUR"}\(norway)
             }}
            """
    }
}

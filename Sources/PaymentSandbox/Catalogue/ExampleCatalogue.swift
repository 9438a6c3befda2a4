extension StoreCatalogue {
    /// The catalogue of `--demo` and of a sandbox without a configured catalogue.
    ///
    /// Products: `coins.100`, `remove-ads`, `pro.monthly`, `pro.yearly`, `season.pass`, sold in DE,
    /// FR, GB, JP and US, and `map.berlin`, sold in DE only. Accounts: `demo` (DE), `alice` (US),
    /// `bob` (FR), `carol` (GB, credential `open-sesame`) and `dora` (JP, may not buy).
    public static let example: StoreCatalogue = {
        do {
            return try CatalogueFile.load(bytes: Array(exampleText.utf8), path: "built-in example")
        } catch {
            preconditionFailure("the built-in catalogue must load: \(error)")
        }
    }()

    /// The text of the example as a catalogue file, a template for other catalogues.
    public static let exampleText = """
        {
          "version": 1,
          "defaultCountry": "DE",
          "locale": "en_US",
          "accounts": [
            {"name": "demo", "country": "DE"},
            {"name": "alice", "country": "US"},
            {"name": "bob", "country": "FR"},
            {"name": "carol", "country": "GB", "credential": "open-sesame"},
            {"name": "dora", "country": "JP", "paymentsAllowed": false}
          ],
          "products": [
            {
              "productIdentifier": "coins.100",
              "type": "consumable",
              "localizedTitle": "100 coins",
              "localizedDescription": "A bag of coins to spend in the game.",
              "localizations": [
                {
                  "locale": "de_DE",
                  "localizedTitle": "100 Münzen",
                  "localizedDescription": "Ein Beutel Münzen für das Spiel."
                }
              ],
              "prices": {
                "DE": {"amount": "1.99", "currencyCode": "EUR"},
                "FR": {"amount": "1.99", "currencyCode": "EUR"},
                "GB": {"amount": "1.79", "currencyCode": "GBP"},
                "JP": {"amount": "300", "currencyCode": "JPY"},
                "US": {"amount": "1.99", "currencyCode": "USD"}
              }
            },
            {
              "productIdentifier": "remove-ads",
              "type": "nonConsumable",
              "localizedTitle": "No advertisements",
              "localizedDescription": "Bought once, no ads forever.",
              "prices": {
                "DE": {"amount": "4.99", "currencyCode": "EUR"},
                "FR": {"amount": "4.99", "currencyCode": "EUR"},
                "GB": {"amount": "4.49", "currencyCode": "GBP"},
                "JP": {"amount": "800", "currencyCode": "JPY"},
                "US": {"amount": "4.99", "currencyCode": "USD"}
              }
            },
            {
              "productIdentifier": "pro.monthly",
              "type": "autoRenewableSubscription",
              "localizedTitle": "Pro, monthly",
              "localizedDescription": "Everything, month by month.",
              "subscriptionGroupIdentifier": "pro",
              "subscriptionPeriod": {"unit": "month", "numberOfUnits": 1},
              "introductoryPrice": {
                "period": {"unit": "week", "numberOfUnits": 1},
                "prices": {
                  "DE": {"amount": "0", "currencyCode": "EUR"},
                  "FR": {"amount": "0", "currencyCode": "EUR"},
                  "GB": {"amount": "0", "currencyCode": "GBP"},
                  "JP": {"amount": "0", "currencyCode": "JPY"},
                  "US": {"amount": "0", "currencyCode": "USD"}
                }
              },
              "prices": {
                "DE": {"amount": "9.99", "currencyCode": "EUR"},
                "FR": {"amount": "9.99", "currencyCode": "EUR"},
                "GB": {"amount": "8.99", "currencyCode": "GBP"},
                "JP": {"amount": "1500", "currencyCode": "JPY"},
                "US": {"amount": "9.99", "currencyCode": "USD"}
              }
            },
            {
              "productIdentifier": "pro.yearly",
              "type": "autoRenewableSubscription",
              "localizedTitle": "Pro, yearly",
              "localizedDescription": "Everything, two months for free.",
              "subscriptionGroupIdentifier": "pro",
              "subscriptionPeriod": {"unit": "year", "numberOfUnits": 1},
              "prices": {
                "DE": {"amount": "99.99", "currencyCode": "EUR"},
                "FR": {"amount": "99.99", "currencyCode": "EUR"},
                "GB": {"amount": "89.99", "currencyCode": "GBP"},
                "JP": {"amount": "15000", "currencyCode": "JPY"},
                "US": {"amount": "99.99", "currencyCode": "USD"}
              }
            },
            {
              "productIdentifier": "season.pass",
              "type": "nonRenewingSubscription",
              "localizedTitle": "Season pass",
              "localizedDescription": "All events of one season; ends by itself.",
              "subscriptionPeriod": {"unit": "month", "numberOfUnits": 3},
              "prices": {
                "DE": {"amount": "14.99", "currencyCode": "EUR"},
                "FR": {"amount": "14.99", "currencyCode": "EUR"},
                "GB": {"amount": "12.99", "currencyCode": "GBP"},
                "JP": {"amount": "2200", "currencyCode": "JPY"},
                "US": {"amount": "14.99", "currencyCode": "USD"}
              }
            },
            {
              "productIdentifier": "map.berlin",
              "type": "nonConsumable",
              "localizedTitle": "Map of Berlin",
              "localizedDescription": "Sold in Germany only.",
              "prices": {
                "DE": {"amount": "2.99", "currencyCode": "EUR"}
              }
            }
          ]
        }

        """
}

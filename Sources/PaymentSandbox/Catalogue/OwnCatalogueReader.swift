import PaymentCore
import StrictJSON

/// Reads catalogues in payqueued's own format.
struct OwnCatalogueReader {
    let root: CatalogueNode

    func read() throws(CatalogueFailure) -> StoreCatalogue {
        var catalogue = StoreCatalogue(
            defaultCountry: try root.required("defaultCountry").country(),
            accounts: .listed(try accounts()), products: try products(),
            locale: try root.string("locale") ?? "en_US")
        if let bundle = try root.member("bundleId")?.identifier() {
            catalogue.bundleID = bundle.string
        }
        return catalogue
    }

    private func accounts() throws(CatalogueFailure) -> [SandboxAccount] {
        var accounts: [SandboxAccount] = []
        var names: Set<AccountName> = []
        for node in try root.elements(of: "accounts") {
            let name = try node.required("name").identifier()
            guard names.insert(name).inserted else {
                throw try node.required("name").failure("this account is listed twice")
            }
            let credential = try node.member("credential")?.identifier()
            accounts.append(
                SandboxAccount(
                    name: name, country: try node.required("country").country(),
                    credential: credential.map { Credential($0) },
                    paymentsAllowed: try node.bool("paymentsAllowed") ?? true))
        }
        return accounts
    }

    private func products() throws(CatalogueFailure) -> [CatalogueProduct] {
        var products: [CatalogueProduct] = []
        var identifiers: Set<ProductIdentifier> = []
        for node in try root.elements(of: "products") {
            let product = try product(node)
            guard identifiers.insert(product.productIdentifier).inserted else {
                throw try node.required("productIdentifier").failure("this product is listed twice")
            }
            products.append(product)
        }
        return products
    }

    private func product(_ node: CatalogueNode) throws(CatalogueFailure) -> CatalogueProduct {
        let prices = try node.member("prices").map(self.prices) ?? [:]
        var product = CatalogueProduct(
            productIdentifier: try node.required("productIdentifier").identifier(),
            type: try type(node.required("type")), texts: try texts(node),
            prices: .byCountry(prices))
        product.slug = try node.string("slug")
        product.iconURL = try node.string("iconUrl")
        product.subscriptionPeriod = try period(node, of: product.type)
        product.subscriptionGroupIdentifier =
            try node.member("subscriptionGroupIdentifier")?.identifier()
        product.subscriptionLevel = try node.member("subscriptionLevel")?.integer(in: 1...9999)
        if let introductory = try node.member("introductoryPrice") {
            guard product.type == .autoRenewableSubscription else {
                throw introductory.failure(
                    "only an autoRenewableSubscription has an introductory price")
            }
            product.introductoryOffer = try offer(introductory, beside: prices)
        }
        product.promotionalOffer = try node.member("discountedPrice")
            .map { node throws(CatalogueFailure) in try offer(node, beside: prices) }
        return product
    }

    private func type(_ node: CatalogueNode) throws(CatalogueFailure) -> Product.Kind {
        let word = try node.string()
        guard let type = Product.Kind(rawValue: word) else {
            let known = Product.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw node.failure("unknown product type '\(word.shortened)'; known are \(known)")
        }
        return type
    }

    /// The texts of a product: first the one without a language, if any, then `localizations`.
    private func texts(_ node: CatalogueNode) throws(CatalogueFailure) -> [ProductText] {
        var texts: [ProductText] = []
        let description = try node.string("localizedDescription") ?? ""
        if let title = try node.string("localizedTitle") {
            texts.append(ProductText(locale: "", title: title, description: description))
        }
        for localization in try node.elements(of: "localizations") {
            var text = ProductText(
                locale: try localization.required("locale").string(),
                title: try localization.required("localizedTitle", "displayName").string(),
                description: description)
            for name in ["localizedDescription", "description"] {
                if let own = try localization.string(name) { text.description = own }
            }
            texts.append(text)
        }
        return texts
    }

    private func period(
        _ node: CatalogueNode, of type: Product.Kind
    ) throws(CatalogueFailure) -> SubscriptionPeriod? {
        let value = try node.member("subscriptionPeriod")
        switch type {
        case .autoRenewableSubscription:
            return try period(node.required("subscriptionPeriod"))
        case .nonRenewingSubscription:
            return try value.map(period)
        case .consumable, .nonConsumable:
            if let value { throw value.failure("only subscriptions have a period") }
            return nil
        }
    }

    private func period(_ node: CatalogueNode) throws(CatalogueFailure) -> SubscriptionPeriod {
        if node.kind == .string { return try node.duration() }
        let unit = try node.required("unit")
        guard let word = SubscriptionPeriod.Unit(rawValue: try unit.string()) else {
            throw unit.failure("expected day, week, month or year")
        }
        let count = try node.required("numberOfUnits").integer(in: SubscriptionPeriod.unitsRange)
        return SubscriptionPeriod(unit: word, numberOfUnits: count)
    }

    private func prices(_ node: CatalogueNode) throws(CatalogueFailure) -> [CountryCode: Price] {
        var prices: [CountryCode: Price] = [:]
        for (name, value) in try node.members() {
            guard let country = Countries.code(name) else {
                throw value.failure("'\(name.shortened)' is not a country of ISO 3166")
            }
            let earlier = prices.updateValue(try price(value), forKey: country)
            guard earlier == nil else { throw value.failure("this country has a price already") }
        }
        return prices
    }

    private func price(_ node: CatalogueNode) throws(CatalogueFailure) -> Price {
        let amount = try node.required("amount", "value")
        let currency = try node.required("currencyCode")
        let code = try currency.string()
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw currency.failure("'\(code.shortened)' is not a currency such as EUR")
        }
        let price = Price(amount: try amount.amount(), currencyCode: code)
        let digits = Currency.fractionDigits(of: code)
        guard price.amount.fractionDigits <= digits else {
            throw amount.failure(
                "'\(price.amount.text)' has more digits after the point than \(code) has: \(digits)"
            )
        }
        guard price.minorUnits != nil else { throw amount.tooLarge(price) }
        return price.roundedToCurrency
    }

    /// Reads an offer with `prices` by country, or with one `price`. The one price holds in every
    /// country where the product is sold in the same currency. Without a mode, a free offer is a
    /// trial, and any other is paid up front. A trial needs no price.
    private func offer(
        _ node: CatalogueNode, beside prices: [CountryCode: Price]
    ) throws(CatalogueFailure) -> CatalogueOffer {
        let mode = try node.member("mode").map(mode)
        let costs: [CountryCode: Price]
        if let own = try node.member("prices") {
            costs = try self.prices(own)
        } else if mode == .freeTrial, try node.member("price") == nil {
            costs = prices.mapValues { Price.zero(currencyCode: $0.currencyCode) }
        } else {
            let single = try price(node.required("price"))
            costs = prices.filter { $0.value.currencyCode == single.currencyCode }
                .mapValues { _ in single }
        }
        let isFree = costs.values.allSatisfy(\.isZero)
        if let mode, (mode == .freeTrial) != isFree {
            throw node.failure(
                isFree ? "only a freeTrial costs nothing" : "a freeTrial costs nothing")
        }
        return try node.offer(
            mode ?? (isFree ? .freeTrial : .payUpFront), .byCountry(costs),
            period: period(node.required("period")),
            periods: node.member("periods")?.integer(in: CatalogueOffer.periodsRange) ?? 1)
    }

    private func mode(_ node: CatalogueNode) throws(CatalogueFailure) -> CatalogueOffer.Mode {
        let word = try node.string()
        guard let mode = CatalogueOffer.Mode(rawValue: word) else {
            let known = CatalogueOffer.Mode.allCases.map(\.rawValue).joined(separator: ", ")
            throw node.failure("unknown mode '\(word.shortened)'; known are \(known)")
        }
        return mode
    }
}

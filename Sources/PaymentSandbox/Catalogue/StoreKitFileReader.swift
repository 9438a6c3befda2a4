import PaymentCore
import SandboxControl
import StrictJSON

/// Reads Apple's StoreKit configuration files, versions 3 to 5.
///
/// Members that are not named here are ignored, such as the key pair for offers.
struct StoreKitFileReader {
    let root: CatalogueNode

    func read() throws(CatalogueFailure) -> StoreCatalogue {
        try checkVersion()
        let settings = try root.member("settings")
        let country = try settings?.member("_storefront")?.country() ?? Self.storefrontByDefault
        return StoreCatalogue(
            defaultCountry: country, accounts: .anyName(country: country),
            products: try products(), initialSettings: try initialSettings(settings, in: country),
            locale: try settings?.string("_locale") ?? "en_US")
    }

    /// The settings of the file. An unknown number of a time rate means real time, because newer
    /// files may have newer numbers.
    private func initialSettings(
        _ node: CatalogueNode?, in country: CountryCode
    ) throws(CatalogueFailure) -> StoreTestSettings {
        var settings = StoreTestSettings(storefront: country)
        guard let node else { return settings }
        settings.failTransactionsEnabled = try node.bool("_failTransactionsEnabled") ?? false
        settings.askToBuyEnabled = try node.bool("_askToBuyEnabled") ?? false
        settings.interruptedPurchasesEnabled = try node.bool("_billingIssuesEnabled") ?? false
        settings.billingGracePeriodIsEnabled = try node.bool("_billingGracePeriodEnabled") ?? false
        settings.shouldEnterBillingRetryOnRenewal =
            try node.bool("_renewalBillingIssuesEnabled") ?? false
        let rate = TimeRate.apple(try node.member("_timeRate")?.integer(in: 0...1000) ?? 0)
        if rate.realSecondsOfMonth != nil { settings.timeRate = rate }
        for error in try node.elements(of: "_storeKitErrors") {
            guard try error.bool("enabled") == true, let call = try simulatedCall(error) else {
                continue
            }
            settings.simulatedErrors[call] = try simulatedKind(error)
        }
        return settings
    }

    /// The simulated call that an error of the file names; nil if the sandbox does not simulate it.
    private func simulatedCall(_ node: CatalogueNode) throws(CatalogueFailure) -> SimulatedCall? {
        switch try node.string("name") {
        case "Load Products": .products
        case "Purchase": .purchase
        case "App Store Sync": .restore
        default: nil
        }
    }

    /// The kind of an error of the file. Apple does not document the values, so only `networkError`
    /// is recognized. All others become `serviceUnavailable`.
    private func simulatedKind(
        _ node: CatalogueNode
    ) throws(CatalogueFailure) -> StoreFailure.Kind {
        guard let current = try node.member("current"), current.kind == .string else {
            return .serviceUnavailable
        }
        return try current.string() == "networkError" ? .connectionError : .serviceUnavailable
    }

    private static let storefrontByDefault: CountryCode = {
        guard let country = Countries.code("USA") else {
            preconditionFailure("the country table lacks the default storefront")
        }
        return country
    }()

    private func checkVersion() throws(CatalogueFailure) {
        guard let major = try root.member("version")?.member("major") else { return }
        guard (3...5).contains(try major.integer(in: 0...Int.max)) else {
            throw major.failure("this version of .storekit files is not supported; 3, 4 and 5 are")
        }
    }

    private func products() throws(CatalogueFailure) -> [CatalogueProduct] {
        var reading = Reading()
        for node in try root.elements(of: "products") {
            try reading.add(product(node, type: nil), from: node)
        }
        for node in try root.elements(of: "nonRenewingSubscriptions") {
            try reading.add(product(node, type: .nonRenewingSubscription), from: node)
        }
        for group in try root.elements(of: "subscriptionGroups") {
            let id = try group.string("id")
            for node in try group.elements(of: "subscriptions") {
                try reading.add(subscription(node, group: id), from: node)
            }
        }
        return reading.products
    }

    /// The products read so far. Each identifier occurs once.
    private struct Reading {
        var products: [CatalogueProduct] = []
        var identifiers: Set<ProductIdentifier> = []

        mutating func add(
            _ product: CatalogueProduct, from node: CatalogueNode
        ) throws(CatalogueFailure) {
            guard identifiers.insert(product.productIdentifier).inserted else {
                throw try node.required("productID").failure("this product is listed twice")
            }
            products.append(product)
        }
    }

    private func product(
        _ node: CatalogueNode, type usual: Product.Kind?
    ) throws(CatalogueFailure) -> CatalogueProduct {
        let identifier = try node.required("productID").identifier()
        let price = try displayPrice(of: node)
        return CatalogueProduct(
            productIdentifier: identifier,
            type: try type(of: node, usual: usual),
            texts: try texts(node, fallback: node.string("referenceName") ?? identifier.string),
            prices: .everywhere(price))
    }

    private func type(
        of node: CatalogueNode, usual: Product.Kind?
    ) throws(CatalogueFailure) -> Product.Kind {
        guard let member = try node.member("type") else {
            if let usual { return usual }
            throw node.failure("'type' is missing")
        }
        let word = try member.string()
        switch word {
        case "Consumable": return .consumable
        case "NonConsumable": return .nonConsumable
        case "NonRenewingSubscription": return .nonRenewingSubscription
        case "RecurringSubscription": return .autoRenewableSubscription
        default: throw member.failure("unknown product type '\(word.shortened)'")
        }
    }

    private func subscription(
        _ node: CatalogueNode, group: String?
    ) throws(CatalogueFailure) -> CatalogueProduct {
        var product = try product(node, type: .autoRenewableSubscription)
        product.subscriptionPeriod = try node.required("recurringSubscriptionPeriod").duration()
        let ownGroup = try node.string("subscriptionGroupID")
        product.subscriptionGroupIdentifier = (group ?? ownGroup).map { OpaqueText($0) }
        product.subscriptionLevel = try node.member("groupNumber")?.integer(in: 0...Int.max)
        let introductory = try node.member("introductoryOffer")
        let newer = try node.elements(of: "introductoryOffers")
        product.introductoryOffer = try (introductory ?? newer.first).map(offer)
        product.promotionalOffer = try node.elements(of: "adHocOffers").first.map(offer)
        return product
    }

    private func offer(_ node: CatalogueNode) throws(CatalogueFailure) -> CatalogueOffer {
        let mode: CatalogueOffer.Mode =
            switch try node.string("paymentMode") {
            case "free": .freeTrial
            case "payAsYouGo": .payAsYouGo
            default: .payUpFront
            }
        let amount = mode == .freeTrial ? Amount("0") : try displayPrice(of: node)
        guard let amount else { preconditionFailure("zero is an amount") }
        let count =
            try node.member("numberOfPeriods")?.integer(in: CatalogueOffer.periodsRange) ?? 1
        return try node.offer(
            mode, .everywhere(amount), period: node.required("subscriptionPeriod").duration(),
            // Offers of other modes have one period; the number in the file is ignored.
            periods: mode == .payAsYouGo ? count : 1)
    }

    /// The price, one number for all countries. It must fit the currency of each country.
    private func displayPrice(of node: CatalogueNode) throws(CatalogueFailure) -> Amount {
        let member = try node.required("displayPrice")
        let amount = try member.amount()
        let prices = CataloguePrices.everywhere(amount)
        for country in Countries.all {
            guard let price = prices.price(in: country), price.minorUnits == nil else { continue }
            throw member.tooLarge(Price(amount: amount, currencyCode: price.currencyCode))
        }
        return amount
    }

    /// The texts of a product. The fallback replaces an empty title, because Xcode leaves the title
    /// empty if only a reference name was entered.
    private func texts(
        _ node: CatalogueNode, fallback: String
    ) throws(CatalogueFailure) -> [ProductText] {
        var texts: [ProductText] = []
        for localization in try node.elements(of: "localizations") {
            let title = try localization.string("displayName") ?? ""
            texts.append(
                ProductText(
                    locale: try localization.string("locale") ?? "",
                    title: title.isEmpty ? fallback : title,
                    description: try localization.string("description") ?? ""))
        }
        return texts.isEmpty ? [ProductText(locale: "", title: fallback, description: "")] : texts
    }
}

import PaymentCore
import SandboxControl

/// The facts of the store that callers read without waiting for its executor.
struct CatalogueSnapshot: Sendable {
    /// The products and the accounts.
    private(set) var catalogue: StoreCatalogue
    private var settings: StoreTestSettings
    /// The groups for which accounts were charged an introductory offer.
    private var introduced: [AccountName: Set<OpaqueText>]

    /// Creates a snapshot of a store.
    init(_ store: EmbeddedStore) {
        catalogue = store.catalogue
        settings = store.settings
        introduced = store.state.orderTable.introduced.mapValues { Set($0.keys) }
    }

    /// Replaces the catalogue.
    mutating func use(_ store: EmbeddedStore) {
        catalogue = store.catalogue
        settings = store.settings
    }

    /// Adds the changes of events that a store has applied.
    mutating func update(after events: [SandboxEvent], of store: EmbeddedStore) {
        for event in events {
            switch event {
            case .settingsChanged, .settingsReset: settings = store.settings
            case .orderPlaced(let placed, _):
                if placed.group != nil { update(placed.order.account, of: store) }
            case .orderPaid(let id, _):
                if let paid = store.state.order(id) { update(paid.order.account, of: store) }
            case .ordersDeleted:
                for account in store.state.deletions.orders.keys { update(account, of: store) }
            case .orderRefused, .alreadyOwned, .orderCompleted, .orderRefunded,
                .subscriptionChanged, .orderTurnedDown, .clockSet:
                break
            }
        }
    }

    private mutating func update(_ account: AccountName, of store: EmbeddedStore) {
        let groups = store.state.introduced(account)
        introduced[account] = groups.isEmpty ? nil : groups
    }

    /// The products of a country; nil while a simulated error hides them.
    func catalogue(of country: CountryCode) -> Catalogue? {
        guard settings.simulatedErrors[.products] == nil else { return nil }
        return catalogue.catalogue(
            of: country, locale: settings.locale?.string ?? catalogue.locale)
    }

    /// Facts about an account; nil if there is none of that name.
    func facts(of name: AccountName) -> AccountFacts? {
        guard let account = catalogue.account(name) else { return nil }
        return AccountFacts(
            country: settings.storefront ?? account.country,
            paymentsAllowed: account.paymentsAllowed && settings.paymentsAllowed,
            introduced: introduced[name, default: []])
    }
}

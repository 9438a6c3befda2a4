import PaymentCore
import PaymentSandbox
import PaymentStorage
import SandboxControl
import SandboxStorage

/// A store with months of business behind it, which a test could not wait for: subscriptions that began
/// with an offer, were renewed, refunded, raised, or could not be paid, and orders that wait.
public struct BusyStore {
    private var store = EmbeddedStore(.example)
    private let journal: RecordJournal<SandboxEvent>
    private let ids = SeededIDs(seed: 4)
    private var now: Timestamp
    private static let day: Int64 = 86_400

    /// Writes the journal of the example's store.
    ///
    /// - Parameters:
    ///   - path: The state directory of a store server that does not run.
    ///   - milliseconds: Until when it was open, since 1970.
    /// - Throws: The directory cannot be written.
    public static func write(into path: String, until milliseconds: Int64) throws {
        let end = Timestamp(milliseconds: milliseconds)
        let state = try StateDirectory(
            path: path, identity: .current(program: "tests"), started: end)
        let (journal, _) = try RecordJournal<SandboxEvent>.open(
            in: try state.subdirectory("sandbox"), settings: LogSettings(build: "tests"),
            load: { _, _ in }, replay: { _, _, _ in })
        var business = BusyStore(journal: journal, now: end.advanced(bySeconds: -200 * day))
        try business.run(until: end)
        try journal.commit()
        try journal.close()
    }

    private init(journal: RecordJournal<SandboxEvent>, now: Timestamp) {
        self.journal = journal
        self.now = now
    }

    private mutating func run(until end: Timestamp) throws {
        try buy("pro.monthly", "demo", token: "player-1")
        try buy("pro.monthly", "bob", token: "player-2")
        try pass(days: 20)
        try buy("remove-ads", "demo", token: "player-1")
        try pass(days: 30)
        try buy("season.pass", "alice", token: "player-3")
        try buy("pro.monthly", "carol", token: "player-4")
        try pass(days: 40)
        let mistake = try buy("coins.100", "demo", token: "player-1")
        try pass(days: 1)
        try control(.refund(.transaction(mistake)))
        try control(.autoRenew("pro.monthly", false), "carol")
        try pass(days: 34)
        let renewals = store.state.orders.filter {
            $0.order.account == "demo" && $0.order.isRenewal
        }
        if let earlier = renewals.dropLast().last {
            try control(.refund(.order(earlier.order.order)))
        }
        try pass(days: 60)
        try set { $0.shouldEnterBillingRetryOnRenewal = true }
        try pass(days: 8)
        try set { $0.shouldEnterBillingRetryOnRenewal = false }
        if let unpaid = store.state.orders.last(where: { $0.order.account == "demo" && $0.isPaid })
        {
            try control(.resolve(.order(unpaid.order.order)))
        }
        for number in 0..<40 {
            let account = ["demo", "alice", "bob"][number % 3]
            try buy("coins.100", AccountName(account), token: "player-\(number % 3 + 1)")
            now = now.advanced(bySeconds: Self.day / 10)
        }
        now = end.advanced(bySeconds: -18_000)
        try set { $0.interruptedPurchasesEnabled = true }
        try buy("coins.100", "alice", token: "player-3")
        try set { $0.interruptedPurchasesEnabled = false }
        try set { $0.askToBuyEnabled = true }
        try buy("remove-ads", "alice", token: "player-3")
        now = end.advanced(bySeconds: -4200)
        try buy("map.berlin", "demo", token: "player-1")
        try set { $0.askToBuyEnabled = false }
    }

    private var context: StoreContext { StoreContext(now: now, makeID: ids.next) }

    private func record(_ effects: StoreEffects) {
        for event in effects.events { _ = journal.append(event, time: now) }
    }

    private mutating func pass(days: Int64) throws {
        now = now.advanced(bySeconds: days * Self.day)
        while let due = store.wakeAt, due <= now { record(store.catchUp(context)) }
    }

    @discardableResult
    private mutating func buy(
        _ product: ProductIdentifier, _ account: AccountName, token: String
    ) throws -> TransactionID {
        now = now.advanced(bySeconds: 3600)
        let transaction = TransactionID(ids.next())
        guard let country = store.catalogue.account(account)?.country,
            let sold = store.catalogue.product(product, in: country)
        else { return transaction }
        let request = OrderRequest(
            transaction: transaction, account: account, product: sold, country: country,
            appAccountToken: OpaqueText(token))
        let step = store.submit(request, context)
        record(step.effects)
        _ = try step.answer.get()
        return transaction
    }

    private mutating func control(_ control: TestControl, _ account: AccountName? = nil) throws {
        let step = store.run(control, account: account, context)
        record(step.effects)
        _ = try step.answer.get()
    }

    private mutating func set(_ edit: (inout StoreTestSettingsChange) -> Void) throws {
        let step = store.applyTestSettings(StoreSamples.change(edit), context)
        record(step.effects)
        _ = try step.answer.get()
    }
}

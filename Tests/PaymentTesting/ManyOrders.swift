import PaymentCore
import PaymentSandbox
import PaymentStorage
import SandboxControl
import SandboxStorage

/// More orders than a test could place over the wire: they are written into the journal of a store
/// that does not run.
public enum ManyOrders {
    /// Writes paid and completed orders of one account.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - account: Whose.
    ///   - path: The state directory of a daemon, for its embedded store, or of a store server. Nobody
    ///     may have it open.
    /// - Returns: The oldest order and the newest.
    /// - Throws: The directory cannot be written.
    public static func write(
        _ count: Int, of account: String, into path: String
    ) throws -> (oldest: String, newest: String) {
        let state = try StateDirectory(
            path: path, identity: .current(program: "tests"), started: Samples.noon)
        let settings = LogSettings(build: "tests")
        let (journal, _) = try RecordJournal<SandboxEvent>.open(
            in: try state.subdirectory("sandbox"), settings: settings, load: { _, _ in },
            replay: { _, _, _ in })
        for number in 0..<count {
            let placed = order(number, account: AccountName(account))
            _ = journal.append(.orderPlaced(placed, nil), time: placed.order.placedAt)
            if number.isMultiple(of: 1000) { try journal.commit() }
        }
        try journal.commit()
        try journal.close()
        return (name(0).description, name(count - 1).description)
    }

    private static func name(_ number: Int) -> OrderID {
        OrderID(UniqueID(randomHigh: 0x3e46_c75a_7e04_4530, randomLow: UInt64(number)))
    }

    private static func order(_ number: Int, account: AccountName) -> SandboxOrder {
        let order = StoreOrder(
            order: name(number), transaction: nil, original: name(number), account: account,
            product: "coins.100", price: Price(amount: price, currencyCode: "EUR"),
            country: Samples.germany, appAccountToken: OpaqueText("user-\(number)"),
            state: .purchased,
            failure: nil, completed: true,
            placedAt: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number / 3)))
        return SandboxOrder(order: order, kind: .consumable)
    }

    private static let price: Amount = {
        guard let price = Amount("1.99") else { preconditionFailure("1.99 is an amount") }
        return price
    }()
}

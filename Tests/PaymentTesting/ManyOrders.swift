import PaymentCore
import PaymentSandbox
import PaymentStorage
import SandboxControl
import SandboxStorage

/// More orders than a test could place over the wire: they are written into the journal of a program
/// that does not run.
public enum ManyOrders {
    /// Writes paid and completed orders of one account into the log of a queue with an embedded store.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - account: Whose.
    ///   - path: The state directory of a daemon that does not run.
    /// - Throws: The directory cannot be written.
    public static func write(_ count: Int, of account: String, intoQueueAt path: String) throws {
        let (journal, _) = try LocalLog.open(
            in: state(path), settings: LogSettings(build: "tests"), QueueReplay.withSandbox())
        try eachThousand(count, account) { orders in
            for placed in orders {
                let event = SandboxEvent.orderPlaced(placed, nil)
                journal.append(StoreRecord(event), time: placed.order.placedAt)
            }
            if case .failed(let failure)? = journal.submit({ _ in }) { throw failure }
        }
        try journal.close()
    }

    /// Writes paid and completed orders of one account into the journal of a store server.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - account: Whose.
    ///   - path: The state directory of a store server that does not run.
    /// - Returns: The oldest order and the newest.
    /// - Throws: The directory cannot be written.
    public static func write(
        _ count: Int, of account: String, intoStoreAt path: String
    ) throws -> (oldest: String, newest: String) {
        let (journal, _) = try RecordJournal<SandboxEvent>.open(
            in: try state(path).subdirectory("sandbox"), settings: LogSettings(build: "tests"),
            load: { _, _ in }, replay: { _, _, _ in })
        try eachThousand(count, account) { orders in
            for placed in orders {
                _ = journal.append(.orderPlaced(placed, nil), time: placed.order.placedAt)
            }
            try journal.commit()
        }
        try journal.close()
        return (name(0).description, name(count - 1).description)
    }

    private static func state(_ path: String) throws -> StateDirectory {
        try StateDirectory(path: path, identity: .current(program: "tests"), started: Samples.noon)
    }

    private static func eachThousand(
        _ count: Int, _ account: String, _ body: ([SandboxOrder]) throws -> Void
    ) throws {
        for first in stride(from: 0, to: count, by: 1000) {
            try body(
                (first..<min(first + 1000, count)).map {
                    order($0, account: AccountName(account))
                })
        }
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

import PaymentCore
import PaymentStorage

/// The items that version 3 of the format added.
extension Samples {
    static let currentItems: [SnapshotItem] =
        items.map { item in
            switch item {
            case .counters(let incarnation, _):
                .counters(incarnation: incarnation, claimsUnknownUpTo: 5)
            case .finished(let transaction, let key, let finish, _):
                .finished(transaction, key: key, finish, closed: 11)
            default: item
            }
        } + [
            .lastRestoreEnd("demo", at: time), .claim("demo", at: 3), .claim("bert", at: 12),
            .forgotten(before: time, by: 40),
        ]
}

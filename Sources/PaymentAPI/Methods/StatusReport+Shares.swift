public import PaymentCore
import StrictJSON

extension StatusReport {
    /// The units that a user holds of the limits that users share.
    public struct Holder: Sendable, Hashable {
        /// The user id.
        public var uid: UInt32
        /// The number of units by limit; absent for none.
        public var units: [SharedLimit: Int]

        /// Creates the part.
        public init(uid: UInt32, units: [SharedLimit: Int]) {
            self.uid = uid
            self.units = units
        }
    }

    static let sharesForm = ResultForm<[Holder]>([
        "type": "object", "additionalProperties": holder.schema,
    ]) { holders, writer in
        writer.beginObject()
        for user in holders {
            writer.name("\(user.uid)")
            holder.write(user, &writer)
        }
        writer.endObject()
    }

    private static let holder = ResultForm<Holder>.object(
        SharedLimit.allCases.map { limit in
            .required(limit.rawValue, { $0.units[limit] ?? 0 }, .count, limit.summary)
        })
}

extension SharedLimit {
    /// The description of the units that a user holds.
    fileprivate var summary: String {
        switch self {
        case .connections: "The number of its open connections."
        case .subscriptions: "The number of its live subscriptions."
        case .namedObservers: "The number of observer names that belong to it."
        case .unfinishedTransactions: "The number of unfinished transactions that it added."
        case .unfinishedRestores: "The number of running restores that it began."
        case .waitingCallsInAll: "The number of its calls that wait for an event or an answer."
        case .diskBytes:
            "The bytes that its open work may still write and its closed transactions take on the disk."
        }
    }
}

public import PaymentCore

/// Damage to a file of a state directory that a running daemon has found.
public struct StorageDamage: Sendable, Hashable {
    /// The file.
    public var file: String
    /// The offset of the damage in bytes; nil if the file as a whole is meant.
    public var offset: Int?
    /// The first sequence number in doubt; nil if that is unknown.
    public var first: SequenceNumber?
    /// The last sequence number in doubt.
    public var last: SequenceNumber?
    /// The identifiers of transactions, orders and other objects that can be read there.
    public var identifiers: [String] = []
    /// Whether the disk could not read the file.
    public var isUnreadable = false
    /// The problem, for people.
    public var detail: String
}

/// The right to append to the log, which ends with the lease of the node.
///
/// The lease decides who should append and who may send orders. That a former owner appends nothing is
/// decided by etcd in each transaction, and needs no clock.
public struct Ownership: Sendable {
    /// The term: the create revision of the owner's key.
    public let term: UInt64
    /// The revision at which the head of the log was changed last when the right began.
    let headRevision: Int64
    let lease: NodeLease

    /// Whether the lease holds for sure. A process that was stopped for longer finds it out here.
    public var holds: Bool { lease.holds }

    /// Notes that the lease has ended, or another owner has appended.
    public func end() { lease.end() }
}

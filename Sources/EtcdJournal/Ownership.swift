/// The right to append to the log, which ends with the lease of the node.
///
/// The lease decides who should append and who may send orders. etcd itself refuses the appends of a former
/// owner, in each transaction and without a clock.
public struct Ownership: Sendable {
    /// The term: the create revision of the owner's key.
    public let term: UInt64
    /// The revision at which the head of the log was changed last when the right began.
    let headRevision: Int64
    let lease: NodeLease

    /// Whether the lease certainly holds. It no longer does if the process was stopped for too long.
    public var holds: Bool { lease.holds }

    /// Notes that the lease has ended, or another owner has appended.
    public func end() { lease.end() }
}

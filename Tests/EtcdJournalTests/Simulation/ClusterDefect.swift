import StrictJSON

@testable import EtcdJournal

/// Defects that are planted around and into the client, to prove that the checks find them.
enum ClusterDefect: String, CaseIterable, Sendable {
    /// An append does not compare the head.
    case forgetsHead
    /// A node becomes the owner although the head has changed since its copy was complete.
    case forgetsHeadOfOthers
    /// An append does not compare the owner.
    case forgetsOwner
    /// More lines are removed than all nodes have.
    case trimsTooMuch
    /// The client takes answers that are older than those that it knows.
    case takesStaleAnswers
    /// The client takes a request without an answer for executed.
    case silenceIsSuccess
    /// The clock of a process stands while the process is stopped.
    case clockStands
    /// The disks of nodes do not sync.
    case disksLie
    /// Nodes say that they have what they have not synced.
    case saysTooMuch

    /// Whether etcd is not asked to compare a key.
    ///
    /// - Parameters:
    ///   - comparison: The comparison.
    ///   - key: The key.
    ///   - isAttempt: Whether the transaction is to make a node the owner.
    /// - Returns: Whether the comparison is left out.
    func forgets(_ comparison: JSONValue, of key: String, isAttempt: Bool) -> Bool {
        let isOfRevision = comparison["target"]?.stringValue == "MOD"
        return switch self {
        case .forgetsHead: isOfRevision && key.hasSuffix("/head") && !isAttempt
        case .forgetsHeadOfOthers: isOfRevision && key.hasSuffix("/head") && isAttempt
        case .forgetsOwner:
            key.hasSuffix("/owner") && comparison.revision("create_revision") != 0
        default: false
        }
    }
}

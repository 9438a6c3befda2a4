/// The roles of a peer. The configuration maps its user and group to them.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// Read and subscribe.
    case observe
    /// Buy, finish, and change the session.
    case buy
    /// Answer questions.
    case gate
    /// Administer the daemon and the sandbox.
    case admin
}

extension Role: WireWord {}

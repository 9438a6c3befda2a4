/// The permissions of a peer, derived from its user and group by configuration.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// Look and subscribe.
    case observe
    /// Buy, finish, and change the session.
    case buy
    /// Answer the questions of a gate.
    case gate
    /// Operate the daemon and the sandbox.
    case admin
}

extension Role: WireWord {}

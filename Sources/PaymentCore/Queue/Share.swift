/// The limits that all users share. Each but ``diskBytes`` has the name of its key in ``Limits``.
public enum SharedLimit: String, Sendable, Hashable, CaseIterable {
    /// Open connections.
    case connections
    /// Live subscriptions.
    case subscriptions
    /// Names of durable observers.
    case namedObservers
    /// Unfinished transactions that a call created.
    case unfinishedTransactions
    /// Running restores.
    case unfinishedRestores
    /// Calls that wait for an event or an answer.
    case waitingCallsInAll
    /// Bytes on disk: the bytes that open work may still write, and those of closed things in archive
    /// files.
    case diskBytes

    /// The maximum number of units of all users together; nil for ``diskBytes``, whose maximum depends on
    /// the disk.
    public func number(in limits: Limits) -> Int? {
        switch self {
        case .connections: limits.connections
        case .subscriptions: limits.subscriptions
        case .namedObservers: limits.namedObservers
        case .unfinishedTransactions: limits.unfinishedTransactions
        case .unfinishedRestores: limits.unfinishedRestores
        case .waitingCallsInAll: limits.waitingCallsInAll
        case .diskBytes: nil
        }
    }
}

/// The units of one shared limit by the user that holds them.
///
/// A user that holds `s` units may take `k` more while `(k + s) * (n + 1) <= r + s`. Here `r` units are
/// left, and `n` users hold any, this one included. The more users there are, the smaller is the share of
/// each, so that some units are left for the next user. A user without a unit gets one while any is left.
///
/// Root and the daemon's own user are exempt: they may take all remaining units. One sixteenth of each
/// limit is kept for them, and they use it first. If they hold any units, they count among the `n` users.
public struct Share: Sendable, Hashable {
    /// The answer to a request for units.
    public enum Verdict: Sendable, Hashable {
        /// The user may take them.
        case admitted
        /// All users together have reached the limit.
        case full
        /// The user has reached its share, which is the number of units.
        case beyondShare(Int)
    }

    /// The units of each user that holds any.
    public private(set) var held: [UInt32: Int] = [:]
    /// The units of all users, and those that are charged to no user.
    public private(set) var total = 0

    /// Creates a share without any units.
    public init() {}

    /// Adds units to those of a user; nil charges them to no user.
    public mutating func take(_ count: Int = 1, for user: UInt32?) {
        total += count
        if let user, count > 0 { held[user, default: 0] += count }
    }

    /// Gives back units of a user.
    public mutating func giveBack(_ count: Int = 1, of user: UInt32?) {
        guard count > 0 else { return }
        total -= count
        guard let user, let mine = held[user] else { return }
        held[user] = mine > count ? mine - count : nil
    }

    /// The answer to a request for units.
    ///
    /// - Parameters:
    ///   - user: The user; nil without a client, which is exempt.
    ///   - number: The limit of all users together.
    ///   - count: The number of units that are taken together.
    ///   - limits: The limits in effect, with the user that is exempt.
    /// - Returns: Whether the user may take them, and if not, the reason.
    public func verdict(
        on user: UInt32?, of number: Int, taking count: Int = 1, _ limits: Limits
    ) -> Verdict {
        guard total + count <= number else { return .full }
        guard let user, !limits.isExempt(user) else { return .admitted }
        let mine = held[user] ?? 0
        let allowed = allowance(
            of: user, holding: mine, number, taking: count, exempt: limits.exemptUser)
        return mine + count <= allowed ? .admitted : .beyondShare(allowed)
    }

    /// The number of units that a user may hold now, including those that it holds. It is less than that
    /// number if others have taken units since.
    private func allowance(
        of user: UInt32, holding mine: Int, _ number: Int, taking count: Int, exempt: UInt32?
    ) -> Int {
        var exemptUnits = held[0] ?? 0
        if let exempt, exempt != 0 { exemptUnits += held[exempt] ?? 0 }
        let users = held.count + (mine == 0 ? 1 : 0)
        let kept = max(Self.kept(of: number) - exemptUnits, 0)
        let left = max(number - kept - total, 0)
        let share = (left + mine) / (users + 1)
        return mine == 0 && left >= count ? max(share, count) : share
    }

    /// The number of units of a limit that are kept for the exempt users: a sixteenth, and at least one
    /// if the limit is two or more.
    public static func kept(of number: Int) -> Int {
        number < 2 ? 0 : max(1, number / 16)
    }
}

extension Limits {
    /// Whether a user may take all remaining units of the shared limits.
    public func isExempt(_ user: UInt32) -> Bool { user == 0 || user == exemptUser }
}

extension Share {
    /// Refuses one more unit of a limit, unless the user may take it.
    ///
    /// - Parameters:
    ///   - user: The user; nil without a client.
    ///   - limit: The limit.
    ///   - limits: The limits in effect.
    ///   - full: The refusal if all users together have reached the limit; nil for the general one.
    /// - Throws: The user may not take one.
    func require(
        for user: UInt32?, _ limit: SharedLimit, _ limits: Limits, full: Refusal? = nil
    ) throws(Refusal) {
        guard let number = limit.number(in: limits) else { return }
        switch verdict(on: user, of: number, limits) {
        case .admitted: return
        case .full: throw full ?? .shareExceeded(limit, number: number, share: nil)
        case .beyondShare(let share):
            throw .shareExceeded(limit, number: number, share: share)
        }
    }
}

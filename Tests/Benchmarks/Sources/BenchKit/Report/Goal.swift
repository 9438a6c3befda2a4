/// A target of a row: a bound for its ratio or for its value.
public struct Goal: Sendable, Hashable {
    /// The figure that the bound applies to.
    public enum Subject: String, Sendable, Hashable {
        /// The daemon's figure divided by the peer's.
        case ratio
        /// The daemon's figure.
        case value
    }

    /// The side of the limit that is good.
    public enum Bound: String, Sendable, Hashable {
        /// The limit or more.
        case atLeast
        /// The limit or less.
        case atMost
    }

    /// The figure that the bound applies to.
    public var subject: Subject
    /// The side of the limit that is good.
    public var bound: Bound
    /// The limit, in the unit of the row, or as a ratio.
    public var limit: Double
    /// Whether the figure is rounded to a whole number before it is compared.
    public var isRounded = false

    /// A goal for a ratio.
    public static func ratio(_ bound: Bound, _ limit: Double) -> Goal {
        Goal(subject: .ratio, bound: bound, limit: limit)
    }

    /// A goal for a value.
    public static func value(_ bound: Bound, _ limit: Double) -> Goal {
        Goal(subject: .value, bound: bound, limit: limit)
    }

    /// A goal for a value that is rounded to a whole number first.
    public static func rounded(_ bound: Bound, _ limit: Double) -> Goal {
        Goal(subject: .value, bound: bound, limit: limit, isRounded: true)
    }

    /// Whether a figure is on the good side of the limit.
    public func isMet(by figure: Double) -> Bool {
        let figure = compared(figure)
        return switch bound {
        case .atLeast: figure >= limit
        case .atMost: figure <= limit
        }
    }

    /// A figure relative to the limit: 1 at the limit, and more if it is better.
    public func score(of figure: Double) -> Double {
        let figure = compared(figure)
        return switch bound {
        case .atLeast: figure / limit
        case .atMost: figure > 0 ? limit / figure : .infinity
        }
    }

    private func compared(_ figure: Double) -> Double { isRounded ? figure.rounded() : figure }

    /// The goal in a table, such as `>= 1.3x`.
    public var text: String {
        let sign = bound == .atLeast ? ">=" : "<="
        return "\(sign) \(shortest(limit))\(subject == .ratio ? "x" : "")"
    }
}

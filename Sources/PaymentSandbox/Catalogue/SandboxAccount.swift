public import PaymentCore

/// An account of the sandbox.
public struct SandboxAccount: Sendable, Hashable {
    /// The name to log in with.
    public var name: AccountName
    /// The country that it buys in, unless a test setting says otherwise.
    public var country: CountryCode
    /// The credential for a login; nil accepts anything.
    public var credential: Credential?
    /// Whether it may buy.
    public var paymentsAllowed: Bool

    /// Creates an account.
    public init(
        name: AccountName, country: CountryCode, credential: Credential? = nil,
        paymentsAllowed: Bool = true
    ) {
        self.name = name
        self.country = country
        self.credential = credential
        self.paymentsAllowed = paymentsAllowed
    }
}

/// A secret that can be compared, but does not print itself.
public struct Credential: Sendable, Hashable {
    private let secret: OpaqueText

    /// Keeps a secret.
    public init(_ secret: OpaqueText) {
        self.secret = secret
    }

    /// Whether a guess is this secret. Takes the same time for every guess of one length, so
    /// that the time tells nothing about how much of it was right.
    public func matches(_ guess: OpaqueText?) -> Bool {
        let expected = Array(secret.string.utf8)
        let given = Array((guess?.string ?? "").utf8)
        var difference = expected.count ^ given.count
        for (index, byte) in given.enumerated() {
            let other = expected.isEmpty ? 0 : expected[index % expected.count]
            difference |= Int(byte ^ other)
        }
        return guess != nil && difference == 0
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mark in place of the secret.
    public var description: String { "<credential>" }

    /// A mark in place of the secret.
    public var debugDescription: String { description }

    /// Shows no children, so that `dump` and test reports do not print the secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

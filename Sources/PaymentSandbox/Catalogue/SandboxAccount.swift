public import PaymentCore

/// An account of the sandbox.
public struct SandboxAccount: Sendable, Hashable {
    /// The login name.
    public var name: AccountName
    /// The country of its purchases, unless a test setting overrides it.
    public var country: CountryCode
    /// The credential for a login; nil accepts any credential.
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

/// A secret that can be compared, but is never printed.
public struct Credential: Sendable, Hashable {
    private let secret: OpaqueText

    /// Wraps a secret.
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
    /// A placeholder for the secret.
    public var description: String { "<credential>" }

    /// A placeholder for the secret.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` and test reports do not print the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

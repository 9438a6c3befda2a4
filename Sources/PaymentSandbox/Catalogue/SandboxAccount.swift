public import PaymentCore

/// An account of the sandbox.
public struct SandboxAccount: Sendable, Hashable {
    /// The name of the account at login.
    public var name: AccountName
    /// The country of the account's purchases, unless a test setting overrides it.
    public var country: CountryCode
    /// The credential for a login; nil accepts any credential.
    public var credential: Credential?
    /// Whether the account may buy.
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

/// A secret that can be compared and is never printed.
public struct Credential: Sendable, Hashable {
    private let secret: OpaqueText

    /// Wraps a secret.
    public init(_ secret: OpaqueText) {
        self.secret = secret
    }

    /// Whether a guess equals the secret. The time depends only on the lengths, so that it does not
    /// reveal how many bytes of a guess are right.
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

public import PaymentCore

/// The failures of orders that can be simulated: the words of ``StoreTestSettings/failureError``.
public enum FailureWord: String, Sendable, Hashable, CaseIterable {
    /// The buyer cancelled.
    case cancelled
    /// The charge was declined.
    case declined
    /// The payment sheet could not be shown.
    case presentationFailed
    /// StoreKit's `unknown`.
    case unknown
    /// StoreKit's `invalidOfferIdentifier`.
    case invalidOfferIdentifier
    /// StoreKit's `invalidSignature`.
    case invalidSignature
    /// StoreKit's `missingOfferParams`.
    case missingOfferParams
    /// StoreKit's `invalidOfferPrice`.
    case invalidOfferPrice

    /// The error of a transaction that fails this way.
    public var failure: PaymentFailure {
        switch self {
        case .cancelled: PaymentFailure(.cancelled)
        case .declined: .declined
        case .presentationFailed: PaymentFailure(.presentationFailed)
        case .unknown, .invalidOfferIdentifier, .invalidSignature, .missingOfferParams,
            .invalidOfferPrice:
            PaymentFailure(.internalError, reason: rawValue)
        }
    }
}

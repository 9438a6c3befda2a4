public import PaymentCore
public import PaymentHistory

/// Keys of a store that needs no file: one pair for all tests of a process.
public struct SampleKeys: HistoryKeys {
    private static let made = Result { () throws(SigningFault) in
        KeyRing(try SigningKey.generate(.es256), createdAt: Samples.noon)
    }

    /// Creates keys.
    public init() {}

    /// The pair.
    public func ring() async throws(StoreFailure) -> KeyRing {
        do {
            return try Self.made.get()
        } catch {
            throw StoreFailure(.internalError, error.description)
        }
    }
}

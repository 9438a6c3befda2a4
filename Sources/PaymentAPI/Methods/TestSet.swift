public import PaymentCore
import StrictJSON

/// `test.set`: change how the sandbox behaves.
public enum TestSet: Method {
    /// The settings in force afterwards.
    public typealias Result = TestGet.Result

    /// What to change.
    public struct Params: Sendable, Hashable {
        /// Everything but the storefront.
        public var change: StoreTestSettingsChange
        /// The country of every account: two or three capital letters.
        public var storefront: String?

        /// The whole change.
        ///
        /// - Parameter country: Finds a country by its two or three letters.
        /// - Returns: The change with its country.
        /// - Throws: `.outOfRange` if there is no such country.
        public func resolved(
            _ country: (String) -> CountryCode?
        ) throws(InvalidParameters) -> StoreTestSettingsChange {
            guard let storefront else { return change }
            guard let found = country(storefront) else {
                throw InvalidParameters(
                    .outOfRange, at: "/storefront",
                    expected: "the code of a country (ISO 3166-1 alpha-2 or alpha-3)")
            }
            var change = change
            change.storefront = found
            return change
        }
    }

    /// The ways to fail: what a person does, what a bank does, and StoreKit's five.
    static let failureErrors = [
        "cancelled", "declined", "presentationFailed", "unknown", "invalidOfferIdentifier",
        "invalidSignature", "missingOfferParams", "invalidOfferPrice",
    ]

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "test.set",
        summary: "Change how the sandbox behaves",
        description: """
            Changes what is given and keeps the rest, durably; the result shows all settings. Only \
            a sandbox has them.
            """,
        parameters: [
            .optional("failTransactionsEnabled", .flag, "New orders fail with failureError."),
            .optional("failureError", .word(failureErrors), "How they fail."),
            .optional("askToBuyEnabled", .flag, "New orders wait for an approval."),
            .optional("storefront", .anyCountry, "The country of every account."),
            .optional("paymentsAllowed", .flag, "Whether the accounts may buy."),
            .optional(
                "latencyMs", .integer(0...600_000), "Milliseconds that every answer takes."),
            .optional("storeDown", .flag, "Nothing is answered."),
        ],
        resultSchema: Schema.reference("TestSettings"),
        errors: [.notSupportedByStore, .tooManyInFlight, .cancelled, .notDurable],
        role: .admin,
        waits: true,
        example: .init(
            params: ["failTransactionsEnabled": true, "failureError": "declined"],
            result: Result(settings: StoreTestSettings(failTransactionsEnabled: true))))

    private enum Place: Int, ParameterPlace {
        case failTransactionsEnabled, failureError, askToBuyEnabled, storefront, paymentsAllowed
        case latencyMs, storeDown
    }

    /// Takes what to change.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        var change = StoreTestSettingsChange()
        change.failTransactionsEnabled = arguments.flag(Place.failTransactionsEnabled)
        change.failureError = arguments.text(Place.failureError, in: bytes)?.string
        change.askToBuyEnabled = arguments.flag(Place.askToBuyEnabled)
        change.paymentsAllowed = arguments.flag(Place.paymentsAllowed)
        change.latencyMs = arguments.integer(Place.latencyMs, in: bytes)
        change.storeDown = arguments.flag(Place.storeDown)
        return Params(
            change: change, storefront: arguments.text(Place.storefront, in: bytes)?.string)
    }
}

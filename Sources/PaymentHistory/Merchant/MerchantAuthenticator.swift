public import PaymentCore
import Synchronization

/// The parts of a Merchant API request that its authentication depends on.
public struct MerchantRequest: Sendable, Hashable {
    /// The order segment of the path, percent-decoded.
    public var order: String
    /// The values of all `Authorization` headers.
    public var authorization: [String]

    /// Creates a request from its parts.
    public init(order: String, authorization: [String]) {
        self.order = order
        self.authorization = authorization
    }
}

/// The decision about a request.
public enum MerchantAdmission: Sendable, Hashable {
    /// The request is refused with this answer.
    case refused(MerchantReply)
    /// The request is admitted: send the merchant the history of this order.
    case admitted(order: OrderID, merchant: String)
}

/// The limits of the Merchant API.
public struct MerchantPolicy: Sendable, Hashable {
    /// The tolerated clock difference, in seconds. It does not extend the longest window of a
    /// token.
    public var leewaySeconds: Int64
    /// The range of the tolerated clock difference, in seconds.
    public static let leewayRange: ClosedRange<Int64> = 0...30
    /// How far clocks may differ unless configured, in seconds.
    public static let standardLeewaySeconds: Int64 = 2
    /// The burst size of a merchant's rate limit, in requests.
    public var burst: Int
    /// The sustained rate limit of a merchant, in requests per second.
    public var perSecond: Int
    /// Most tokens that are remembered at the same time.
    public var rememberedTokens: Int

    /// Creates limits; the leeway is clamped to ``leewayRange``.
    public init(
        leewaySeconds: Int64 = standardLeewaySeconds, burst: Int = 60, perSecond: Int = 20,
        rememberedTokens: Int = 200_000
    ) {
        let range = Self.leewayRange
        self.leewaySeconds = min(max(range.lowerBound, leewaySeconds), range.upperBound)
        self.burst = burst
        self.perSecond = perSecond
        self.rememberedTokens = rememberedTokens
    }
}

/// The authentication of the Merchant API. The caller supplies the time and the merchants; this
/// class remembers the used tokens. It has no access to HTTP, files or orders. All methods are
/// thread-safe.
public final class MerchantAuthenticator: Sendable {
    private struct State {
        var registry: MerchantRegistry
        var memory: ReplayMemory
        var rate: RateLimit
    }

    private let policy: MerchantPolicy
    private let state: Mutex<State>

    /// Creates an authenticator without used tokens.
    public init(registry: MerchantRegistry, policy: MerchantPolicy = MerchantPolicy()) {
        self.policy = policy
        state = Mutex(
            State(
                registry: registry, memory: ReplayMemory(limit: policy.rememberedTokens),
                rate: RateLimit(burst: policy.burst, perSecond: policy.perSecond)))
    }

    /// Replaces the merchants; used tokens stay remembered.
    public func use(_ registry: MerchantRegistry) {
        state.withLock { $0.registry = registry }
    }

    /// Remembers a token that was used before this authenticator was created.
    public func remember(_ token: ReplayMemory.Token, until end: Timestamp, now: Timestamp) {
        state.withLock { _ = $0.memory.remember(token, until: end, now: now) }
    }

    /// Decides whether to admit a request.
    ///
    /// An admitted request uses up its token, even if the order does not exist. A request over the
    /// rate limit does not.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The current time.
    ///   - willAdmit: Receives the token and its end before admission, to save them across
    ///     restarts.
    /// - Returns: The admission, or the answer of a refusal.
    public func admit(
        _ request: MerchantRequest, now: Timestamp,
        willAdmit: (ReplayMemory.Token, Timestamp) -> Void = { _, _ in }
    ) -> MerchantAdmission {
        do throws(TokenRefusal) {
            let token = try Self.bearer(request.authorization)
            let registry = state.withLock { $0.registry }
            let claims = try MerchantToken.check(
                token, registry: registry, now: now, leewaySeconds: policy.leewaySeconds)
            if let seconds = try use(claims, now: now, willAdmit) {
                return .refused(.tooOften(claims.merchant, seconds: seconds))
            }
            guard let order = OrderID(request.order) else {
                return .refused(.badOrder(claims.merchant))
            }
            return .admitted(order: order, merchant: claims.merchant)
        } catch {
            return .refused(.unauthorized(error))
        }
    }

    /// Uses up a token.
    ///
    /// - Returns: The wait in seconds if the merchant exceeds its rate limit; else nil.
    private func use(
        _ claims: MerchantClaims, now: Timestamp,
        _ willAdmit: (ReplayMemory.Token, Timestamp) -> Void
    ) throws(TokenRefusal) -> Int? {
        let token = ReplayMemory.Token(merchant: claims.merchant, id: claims.id)
        let end = claims.endsAt.advanced(bySeconds: policy.leewaySeconds)
        let verdict: Result<Int?, TokenRefusal> = state.withLock { state in
            guard !state.memory.contains(token) else { return .failure(.replayed) }
            guard state.memory.hasRoom(at: now) else { return .failure(.memoryFull) }
            if let seconds = state.rate.take(claims.merchant, at: now) { return .success(seconds) }
            _ = state.memory.remember(token, until: end, now: now)
            return .success(nil)
        }
        let seconds = try verdict.get()
        if seconds == nil { willAdmit(token, end) }
        return seconds
    }

    /// The bearer token of the single header. RFC 7235 makes the scheme case-insensitive.
    private static func bearer(_ values: [String]) throws(TokenRefusal) -> Substring.UTF8View {
        guard let value = values.first else { throw .noAuthorization }
        guard values.count == 1 else { throw .severalAuthorizations }
        let parts = value.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else {
            throw .notBearer
        }
        return parts[1].utf8
    }
}

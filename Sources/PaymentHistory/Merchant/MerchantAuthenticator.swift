public import PaymentCore
import Synchronization

/// A request of the Merchant API as far as it decides who is let in.
public struct MerchantRequest: Sendable, Hashable {
    /// The order segment of the path, percent escapes resolved.
    public var order: String
    /// The values of all headers called `Authorization`.
    public var authorization: [String]

    /// Takes the parts of a request.
    public init(order: String, authorization: [String]) {
        self.order = order
        self.authorization = authorization
    }
}

/// Whether a request is let in.
public enum MerchantAdmission: Sendable, Hashable {
    /// It is not; this is the answer.
    case refused(MerchantReply)
    /// It is: this order's history is to be answered to this merchant.
    case admitted(order: OrderID, merchant: String)
}

/// The strict rules of the Merchant API.
public struct MerchantPolicy: Sendable, Hashable {
    /// How far clocks may differ, in seconds. It does not make a token's window longer.
    public var leewaySeconds: Int64
    /// How far clocks may differ at most, in seconds.
    public static let leewayRange: ClosedRange<Int64> = 0...30
    /// How far clocks may differ unless configured, in seconds.
    public static let standardLeewaySeconds: Int64 = 2
    /// Most requests of a merchant at once.
    public var burst: Int
    /// Requests of a merchant a second in the long run.
    public var perSecond: Int
    /// Most tokens that are remembered at a time.
    public var rememberedTokens: Int

    /// Sets the policy.
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

/// Decides who may ask the Merchant API. It is told the time and the merchants, and it remembers
/// the tokens that were used; it knows neither HTTP nor files nor orders. Safe from any thread.
public final class MerchantAuthenticator: Sendable {
    private struct State {
        var registry: MerchantRegistry
        var memory: ReplayMemory
        var rate: RateLimit
    }

    private let policy: MerchantPolicy
    private let state: Mutex<State>

    /// Opens the authenticator.
    public init(registry: MerchantRegistry, policy: MerchantPolicy = MerchantPolicy()) {
        self.policy = policy
        state = Mutex(
            State(
                registry: registry, memory: ReplayMemory(limit: policy.rememberedTokens),
                rate: RateLimit(burst: policy.burst, perSecond: policy.perSecond)))
    }

    /// Knows other merchants from now on; tokens stay remembered.
    public func use(_ registry: MerchantRegistry) {
        state.withLock { $0.registry = registry }
    }

    /// Remembers tokens that were used before this authenticator was opened.
    public func remember(_ token: ReplayMemory.Token, until end: Timestamp, now: Timestamp) {
        state.withLock { _ = $0.memory.remember(token, until: end, now: now) }
    }

    /// Decides about a request.
    ///
    /// A token is used up by the request that it lets in, even if there is no such order. A request
    /// that is turned away for coming too often leaves its token as it was.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time.
    ///   - willAdmit: Told of the token before a request is let in, to keep it over a restart.
    /// - Returns: The answer, or what is to be answered.
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

    /// Uses a token up.
    ///
    /// - Returns: In how many seconds to ask again, if the merchant asks too often.
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

    /// The token of the one header that there is; RFC 7235 lets the scheme be in any letters.
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

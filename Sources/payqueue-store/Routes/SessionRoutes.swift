import HTTPTypes
import Hummingbird
import PaymentCore
import PaymentSandbox
import StoreMessages

/// The routes to open, refresh and revoke sessions.
struct SessionRoutes {
    let services: StoreServices

    func add(to api: RouterGroup<StoreContext>) {
        api.post("sessions") { request, context in try await open(request, context) }
        api.post("sessions/refresh") { request, _ in try await refresh(request) }
        api.delete("sessions/current") { request, _ in try await revoke(request) }
        api.get("account") { request, _ in try await account(request) }
    }

    private func open(_ request: Request, _ context: StoreContext) async throws -> Response {
        let fields = try await request.fields()
        let name: AccountName
        let credential: OpaqueText?
        do throws(MessageFault) {
            try fields.only(["account", "credential"])
            name = try fields.required("account") { AccountName($0) }
            credential = try fields.optional("credential") { OpaqueText($0) }
            let limit = StoreAPI.textLimitCodePoints
            guard name.string.unicodeScalars.count <= limit,
                (credential?.string.unicodeScalars.count ?? 0) <= limit
            else { throw fields.fault("account", "or the credential is too long") }
        } catch {
            throw FailureMessage(.badRequest, error.description)
        }
        let session: Session
        do {
            session = try await services.sandbox.logIn(account: name, credential: credential)
        } catch {
            if error.kind == .badCredential || error.kind == .unknownAccount {
                let guessed = error.kind == .badCredential ? GuessDelay.Source.account(name) : nil
                try await services.guesses.pauseAfterWrong(
                    [context.guesser, guessed].compactMap(\.self), now: services.now())
            }
            throw error
        }
        let grant = try await services.tokens.open(
            session.account, country: session.country, now: services.now())
        return StoreReply.json(grant.bytes, status: .created)
    }

    private func refresh(_ request: Request) async throws -> Response {
        let fields = try await request.fields()
        let token: String
        do {
            try fields.only(["refreshToken"])
            token = try fields.required("refreshToken", BearerToken.checked)
        } catch {
            throw FailureMessage(.badRequest, error.description)
        }
        let now = services.now()
        let (session, access, expiresAt) = try services.tokens.refresh(token, now: now)
        let country: CountryCode
        do {
            country = try await services.sandbox.country(of: session.account)
        } catch  where error.kind == .unknownAccount {
            // The account was removed from the catalogue, so its session is revoked.
            try await services.tokens.revoke(session)
            throw FailureMessage(.sessionRevoked, "the account no longer exists")
        }
        let grant = SessionGrant(
            account: session.account, country: country, accessToken: access,
            expiresAt: expiresAt, refreshToken: token)
        return StoreReply.json(grant.bytes)
    }

    private func revoke(_ request: Request) async throws -> Response {
        let session = try services.tokens.session(
            ofAccess: try request.bearerToken(), now: services.now())
        try await services.tokens.revoke(session)
        services.feed.wake(session.account)
        return StoreReply.done()
    }

    private func account(_ request: Request) async throws -> Response {
        let account = try services.account(of: request)
        let facts = try await services.sandbox.facts(of: account)
        return StoreReply.json { $0.storeFacts(facts, of: account) }
    }
}

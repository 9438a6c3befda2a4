import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PaymentCore
import SandboxControl
import StoreMessages

/// Middleware of the operator's pages: refuses clients without access, and turns errors into pages.
struct OperatorMiddleware: RouterMiddleware {
    let operators: OperatorAccess
    let guesses: GuessDelay
    let log: Logger

    @concurrent
    func handle(
        _ request: Request, context: StoreContext,
        next: @concurrent (Request, StoreContext) async throws -> Response
    ) async throws -> Response {
        do {
            if let objection = operators.objection(to: request, context) {
                if operators.isGuess(request) {
                    try await guesses.pauseAfterWrong(
                        [context.guesser, .operatorPassword].compactMap(\.self), now: .now)
                }
                throw objection
            }
            return try await next(request, context)
        } catch let failure as PageFailure {
            return PageReply.failure(failure)
        } catch let message as FailureMessage {
            return PageReply.failure(PageFailure(message))
        } catch let failure as StoreFailure {
            return PageReply.failure(PageFailure(FailureMessage(failure)))
        } catch let failure as TestFailure {
            return PageReply.failure(PageFailure(failure))
        } catch {
            log.error("a request failed", metadata: ["error": "\(error)"])
            return PageReply.failure(PageFailure(.unavailable, "The store cannot answer now."))
        }
    }
}

/// Responses with pages.
enum PageReply {
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        + "frame-ancestors 'none'; base-uri 'none'"

    /// A page, which must not be cached.
    static func page(_ frame: PageFrame, status: HTTPResponse.Status = .ok) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy: policy,
        ]
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        return Response(
            status: status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: frame.html.text)))
    }

    /// A page with an error and a link to continue.
    static func failure(_ failure: PageFailure) -> Response {
        let isTurnedAway = failure.kind == .passwordNeeded || failure.kind == .forbidden
        let mayNavigate = failure.back != nil || !isTurnedAway
        var response = page(
            PageFrame(
                title: failure.title, section: nil, leadsOn: mayNavigate,
                content: """
                    <div class="card" role="alert"><p>\(failure.message)</p></div>
                    <p class="actions">\(failure.back.map { back in
                        "<a class=\"button main\" href=\"\(back)\">Back</a>" as HTML
                    })<a class="button" href="/">\(mayNavigate ? "Overview" : "Try again")</a></p>

                    """), status: .init(code: failure.kind.rawValue))
        if failure.kind == .passwordNeeded {
            response.headers[.wwwAuthenticate] = "Basic realm=\"payqueue-store\""
        }
        if failure.kind == .unavailable || failure.kind == .tooManyRequests {
            response.headers[.retryAfter] = "5"
        }
        return response
    }

    /// A static file of the pages, cacheable for a day.
    static func asset(_ text: String, type: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "public, max-age=86400"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

extension PageFailure {
    /// The heading of its page.
    fileprivate var title: String {
        switch kind {
        case .badRequest: "Bad request"
        case .passwordNeeded: "Password needed"
        case .forbidden: "Not allowed"
        case .notFound: "Not found"
        case .methodNotAllowed: "Method not allowed"
        case .refused: "Nothing was changed"
        case .tooLarge: "Request too large"
        case .tooManyRequests: "Too many requests"
        case .failed: "Storage failed"
        case .unavailable: "Store unavailable"
        }
    }

    /// Converts an error of the API for a page.
    init(_ message: FailureMessage) {
        let sentence = message.message.head(1).uppercased() + message.message.dropFirst()
        self.init(Kind(rawValue: message.status) ?? .badRequest, sentence + ".")
    }

    /// Converts an error of a control for a page.
    init(_ failure: TestFailure, back: PageLink? = nil) {
        switch failure {
        case .noSuchOrder:
            self.init(.notFound, "There is no such order.", back: back)
        case .noSubscription(let product):
            self.init(
                .notFound, "The account has no running subscription to \(product).", back: back)
        case .notDecidable(let state):
            let word: String =
                switch state {
                case .deferred: "waits for approval"
                case .purchased: "is paid"
                case .failed: "has failed"
                case .refunded: "is refunded"
                }
            self.init(.refused, "The order \(word), so this cannot be done to it.", back: back)
        case .unknownProduct(let product):
            self.init(
                .refused, "The product \(product) is not sold in the country of the account.",
                back: back)
        case .notLoggedIn:
            self.init(.badRequest, "The account is missing.", back: back)
        case .pageExpired:
            self.init(
                .notFound, "Orders were deleted since this list was shown. Start again.",
                back: back ?? .orders)
        case .store(let failure):
            self.init(FailureMessage(failure))
            self.back = back
        }
    }
}

import HTTPTypes
import Hummingbird
import Logging
import PaymentCore
import PaymentHistory
import StoreMessages

/// Middleware of all requests: converts errors, counts requests, and adds the common response
/// headers.
struct StoreMiddleware: RouterMiddleware {
    let counters: Counters
    let log: Logger
    let paths: PathMethods

    @concurrent
    func handle(
        _ request: Request, context: StoreContext,
        next: @concurrent (Request, StoreContext) async throws -> Response
    ) async throws -> Response {
        let began = ContinuousClock.now
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = reply(to: error, request)
        }
        // This includes error responses and paths without the method.
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.xContentTypeOptions] = "nosniff"
        let route = context.endpointPath ?? "none"
        let took = ContinuousClock.now - began
        counters.count(route, status: response.status.code, took: took)
        log.debug(
            "request",
            metadata: [
                "method": "\(request.method)", "route": "\(route)",
                "status": "\(response.status.code)",
            ])
        return response
    }

    /// The error response in the format of the called API; browsers receive a page.
    private func reply(to error: any Error, _ request: Request) -> Response {
        let message = message(of: error, request)
        var response: Response
        if request.uri.path.hasPrefix("/merchant-api/") {
            response = StoreReply.merchant(
                .failure(
                    status: message.status, code: message.kind.rawValue, message: message.message))
        } else if request.wantsPage {
            response = PageReply.failure(PageFailure(message))
        } else {
            response = StoreReply.failure(message)
        }
        if message.kind == .methodNotAllowed {
            response.headers[.allow] = paths.methods(of: request.uri.path).joined(separator: ", ")
        }
        return response
    }

    private func message(of error: any Error, _ request: Request) -> FailureMessage {
        switch error {
        case let message as FailureMessage: return message
        case let failure as StoreFailure: return FailureMessage(failure)
        case let error as any HTTPResponseError:
            switch error.status {
            case .notFound: return notFound(request)
            case .contentTooLarge: return FailureMessage(.tooLarge, "the body is too long")
            default: return FailureMessage(.badRequest, "the request cannot be read")
            }
        default:
            log.error("a request failed", metadata: ["error": "\(error)"])
            return FailureMessage(.serviceUnavailable, "the store cannot answer now")
        }
    }

    /// Distinguishes an unknown path from an unsupported method, which the router does not.
    private func notFound(_ request: Request) -> FailureMessage {
        paths.methods(of: request.uri.path).isEmpty
            ? FailureMessage(.notFound, "unknown path")
            : FailureMessage(.methodNotAllowed, "the path does not support this method")
    }
}

extension Request {
    /// Whether a browser requests a page outside of the Store API.
    fileprivate var wantsPage: Bool {
        !uri.path.hasPrefix(StoreAPI.prefix + "/")
            && headers[.accept]?.contains("text/html") == true
    }
}

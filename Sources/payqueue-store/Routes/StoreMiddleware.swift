import HTTPTypes
import Hummingbird
import Logging
import PaymentBackend
import PaymentCore

/// Around every request: turns what was thrown into an answer, counts, and adds the headers that no
/// answer goes without.
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

    private func reply(to error: any Error, _ request: Request) -> Response {
        switch error {
        case let message as FailureMessage: return StoreReply.failure(message)
        case let failure as StoreFailure: return StoreReply.failure(failure)
        case let error as any HTTPResponseError:
            switch error.status {
            case .notFound: return notFound(request)
            case .contentTooLarge:
                return StoreReply.failure(FailureMessage(.tooLarge, "the body is too long"))
            default:
                return StoreReply.failure(
                    FailureMessage(.badRequest, "the request cannot be read"))
            }
        default:
            log.error("a request failed", metadata: ["error": "\(error)"])
            return StoreReply.failure(
                FailureMessage(.serviceUnavailable, "the store cannot answer now"))
        }
    }

    /// The router does not tell a path that is not there from one without such a method.
    private func notFound(_ request: Request) -> Response {
        let methods = paths.methods(of: request.uri.path)
        guard !methods.isEmpty else {
            return StoreReply.failure(FailureMessage(.notFound, "there is no such path"))
        }
        var response = StoreReply.failure(
            FailureMessage(.methodNotAllowed, "the path has no such method"))
        response.headers[.allow] = methods.joined(separator: ", ")
        return response
    }
}

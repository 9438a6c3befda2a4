import HTTPTypes
import Hummingbird
import NIOCore
import PaymentCore
import StoreMessages

/// The route of an account's change feed, as server-sent events.
struct FeedRoutes {
    private static let lastEventID = HTTPField.Name("Last-Event-ID")

    let services: StoreServices

    func add(to api: RouterGroup<StoreContext>) {
        api.get("feed") { request, _ in try feed(request) }
    }

    private func feed(_ request: Request) throws -> Response {
        let session = try services.tokens.session(
            ofAccess: try request.bearerToken(), now: services.now())
        let place = Self.lastEventID.flatMap { request.headers[$0] }
        guard services.feed.admits(session.account) else {
            throw FailureMessage(.tooManyRequests, "too many feeds are open")
        }
        let services = services
        return Response(
            status: .ok,
            headers: [.contentType: StoreAPI.eventStream, .cacheControl: "no-store"],
            body: .init { writer in
                guard var listener = services.feed.open(session, after: place) else {
                    return try await writer.finish(nil)
                }
                defer { services.feed.close(listener) }
                for await _ in listener.wakes {
                    guard services.tokens.isOpen(session) else { break }
                    let text = services.feed.news(for: &listener) ?? ":\n\n"
                    try await writer.write(ByteBuffer(string: text))
                }
                try await writer.finish(nil)
            })
    }
}

import HTTPTypes
import Hummingbird
import NIOCore
import PaymentCore
import StoreMessages

/// The feed of changes of an account, as server-sent events.
struct FeedRoutes {
    private static let lastEventID = HTTPField.Name("Last-Event-ID")

    let shop: Shop

    func add(to api: RouterGroup<StoreContext>) {
        api.get("feed") { request, _ in try feed(request) }
    }

    private func feed(_ request: Request) throws -> Response {
        let session = try shop.tokens.session(
            ofAccess: try request.bearerToken(), now: shop.now())
        let place = Self.lastEventID.flatMap { request.headers[$0] }
        guard shop.feed.admits(session.account) else {
            throw FailureMessage(.tooManyRequests, "too many feeds are open")
        }
        let shop = shop
        return Response(
            status: .ok,
            headers: [.contentType: StoreAPI.eventStream, .cacheControl: "no-store"],
            body: .init { writer in
                guard var listener = shop.feed.open(session, after: place) else {
                    return try await writer.finish(nil)
                }
                defer { shop.feed.close(listener) }
                for await _ in listener.wakes {
                    guard shop.tokens.isOpen(session) else { break }
                    let text = shop.feed.news(for: &listener) ?? ":\n\n"
                    try await writer.write(ByteBuffer(string: text))
                }
                try await writer.finish(nil)
            })
    }
}

import Crypto
import HTTPTypes
import Hummingbird
import PaymentCore
import PaymentSandbox
import StoreMessages
import StrictJSON

/// The routes of the store's description and its catalogue, open to all clients.
struct CatalogueRoutes {
    let services: StoreServices

    func add(to api: RouterGroup<StoreContext>) {
        api.get("store") { _, _ in
            let country = try await services.sandbox.defaultCountry()
            return StoreReply.json(StoreFacts(defaultCountry: country).bytes)
        }
        api.get("products") { request, _ in try await products(request) }
    }

    private func products(_ request: Request) async throws -> Response {
        guard let country = try request.query("country", { CountryCode($0) }) else {
            throw FailureMessage(.badRequest, "query parameter 'country' is missing")
        }
        let catalogue = try await services.sandbox.catalogue(of: country)
        var writer = JSONWriter()
        writer.storeCatalogue(catalogue)
        let tag = "\"\(TokenDigest(of: String(decoding: writer.bytes, as: UTF8.self)))\""
        let headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache"]
        if request.headers[.ifNoneMatch] == tag {
            return Response(status: .notModified, headers: headers)
        }
        return StoreReply.json(writer.bytes, headers: headers)
    }
}

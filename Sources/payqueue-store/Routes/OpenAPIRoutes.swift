import HTTPTypes
import Hummingbird
import NIOCore

/// The route of the OpenAPI description.
struct OpenAPIRoutes {
    func add(to router: Router<StoreContext>) {
        router.get("openapi.json") { _, _ in
            StoreReply.json(PackageResources.openapi_json, headers: [.cacheControl: "no-cache"])
        }
    }
}

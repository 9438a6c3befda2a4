import PaymentAPI
import PaymentClient
import StrictJSON

/// The products of the catalogue, to detect typing errors in product names.
enum ProductNames {
    /// The identifiers of all products.
    static func all(_ daemon: PaymentConnection, timeout: Duration) async throws -> [String] {
        var names: [String] = []
        var page: JSONValue?
        repeat {
            let answer = try await daemon.call(
                "products", .parameters([("page", page)]), timeout: timeout)
            names += (answer["products"]?.arrayValue ?? []).compactMap {
                $0["productIdentifier"]?.stringValue
            }
            page = answer["next"]
        } while page != nil
        return names
    }

    /// Checks that all products are in the catalogue. An empty catalogue is ignored.
    ///
    /// - Throws: ``CommandFailure`` with the nearest product.
    static func check(
        _ products: [String], on daemon: PaymentConnection, timeout: Duration, action: String
    ) async throws {
        guard !products.isEmpty else { return }
        let names = try await all(daemon, timeout: timeout)
        guard !names.isEmpty, let unknown = products.first(where: { !names.contains($0) }) else {
            return
        }
        throw failure(action, unknown: unknown, names: names)
    }

    /// The failure for a product that is not in the catalogue.
    static func failure(_ action: String, unknown: String, names: [String]) -> CommandFailure {
        let near = NearestName.find(unknown, in: names).map { "; the nearest is '\($0)'" } ?? ""
        return CommandFailure(
            .refused, "cannot \(action): '\(unknown)' is not sold here\(near)",
            advice: "list what is sold with 'payqueuectl products'", kind: "unknownProduct")
    }
}

import NIOHTTP1
public import PaymentCore
import StoreMessages
import StrictJSON
import Synchronization

/// A catalogue as the store last sent it.
struct KnownCatalogue: Sendable {
    var catalogue: Catalogue
    var entityTag: String?
    /// True if the store has sent or confirmed it to this process.
    var isConfirmed: Bool
}

/// Catalogues are fetched conditionally with the last entity tag, and cached on disk. Products stay
/// available while the store is down.
extension HTTPStore {
    /// The current catalogue of a country, from the store.
    ///
    /// - Throws: The store is unavailable or refuses the request.
    public func catalogue(of country: CountryCode) async throws(StoreFailure) -> Catalogue {
        let last = known.withLock { $0.catalogues[country] }
        var request = StoreRequest(.GET, StoreAPI.prefix + "/products?country=\(country)")
        if let tag = last?.entityTag { request.headers = [("if-none-match", tag)] }
        let found = try await others.pass { [request] () async throws(StoreFailure) in
            try await sessions.call(request) { reply throws(MessageFault) -> KnownCatalogue in
                if reply.status == 304 {
                    guard var last else { throw MessageFault("nothing is known to be unchanged") }
                    last.isConfirmed = true
                    return last
                }
                let catalogue = try Catalogue(try MessageFields(parsing: reply.body))
                guard catalogue.country == country else {
                    throw MessageFault("the catalogue is for another country")
                }
                return KnownCatalogue(
                    catalogue: catalogue, entityTag: reply.entityTag, isConfirmed: true)
            }
        }
        keep(found)
        return found.catalogue
    }

    /// The cached catalogue of a country, from this process or an earlier one. A catalogue of an
    /// earlier process is also refreshed in the background; listeners are notified if it has
    /// changed.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? {
        let (last, isToBeAsked) = known.withLock { known in
            let last = known.catalogues[country]
            let isToBeAsked =
                last?.isConfirmed == false && known.asking.insert(country).inserted
            return (last, isToBeAsked)
        }
        guard let last else { return nil }
        if isToBeAsked {
            // Unstructured, because the caller cannot wait. The deadline of the call ends it.
            Task { [self] in
                let now = try? await catalogue(of: country)
                known.withLock { _ = $0.asking.remove(country) }
                if let now, now != last.catalogue { caller.tell([.catalogue]) }
            }
        }
        return last.catalogue
    }

    /// The country that prices are shown in while no account is logged in.
    public func defaultCountry() async throws(StoreFailure) -> CountryCode {
        let facts = try await others.pass { () async throws(StoreFailure) in
            try await sessions.call(StoreRequest(.GET, StoreAPI.prefix + "/store")) {
                reply throws(MessageFault) in
                try StoreFacts(try MessageFields(parsing: reply.body))
            }
        }
        let isNew = known.withLock { known in
            defer { known.defaultCountry = facts.defaultCountry }
            return known.defaultCountry != facts.defaultCountry
        }
        if isNew { memory.write(.store, facts.bytes) }
        return facts.defaultCountry
    }

    /// The default country that the store last reported, to this process or an earlier one.
    public var knownDefaultCountry: CountryCode? { known.withLock { $0.defaultCountry } }

    private func keep(_ found: KnownCatalogue) {
        let country = found.catalogue.country
        let bytes = found.bytes(for: name)
        known.withLock { known in
            let isNew = known.catalogues[country]?.catalogue != found.catalogue
            known.catalogues[country] = found
            if isNew { memory.write(.catalogue(country), bytes) }
        }
    }
}

extension HTTPStore.Known {
    /// Restores what an earlier process saved. A part that cannot be read is fetched again.
    init(recalledFrom memory: any StoreMemory, of name: String) {
        if let bytes = memory.read(.store) {
            defaultCountry = (try? StoreFacts(try MessageFields(parsing: bytes)))?.defaultCountry
        }
        for country in memory.countries {
            guard let bytes = memory.read(.catalogue(country)),
                let known = try? KnownCatalogue(bytes, of: name),
                known.catalogue.country == country
            else { continue }
            catalogues[country] = known
        }
    }
}

extension KnownCatalogue {
    /// The saved form of the catalogue.
    func bytes(for address: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("store", address)
        writer.member("entityTag", entityTag)
        writer.name("catalogue")
        writer.storeCatalogue(catalogue)
        writer.endObject()
        return writer.bytes
    }

    /// Reads the saved form. A catalogue of another store is refused.
    init(_ bytes: [UInt8], of address: String) throws(MessageFault) {
        let fields = try MessageFields(parsing: bytes)
        guard try fields.required("store", { $0 }) == address else {
            throw fields.fault("store", "is another one")
        }
        self.init(
            catalogue: try Catalogue(try fields.requiredObject("catalogue")),
            entityTag: try fields.optional("entityTag") { $0 }, isConfirmed: false)
    }
}

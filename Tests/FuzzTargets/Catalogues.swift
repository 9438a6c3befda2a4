import PaymentCore
import PaymentSandbox
import StrictJSON

/// Catalogue files, of both formats. Another spelling of the same values gives the same catalogue, and what
/// a catalogue sells can be listed, sent and recorded.
enum Catalogues {
    static func checkStoreKit(_ input: [UInt8]) throws(Violation) { try check(input) }

    static func checkOwn(_ input: [UInt8]) throws(Violation) { try check(input) }

    private static let countries = ["DE", "US", "JP", "KW"].compactMap { CountryCode($0) }

    private static func check(_ input: [UInt8]) throws(Violation) {
        switch load(input) {
        case .success(let catalogue):
            guard let respelled = Texts.canonical(input) else {
                throw Violation("a catalogue that is not JSON")
            }
            try require(
                load(respelled) == .success(catalogue), "another catalogue when it is respelled")
            try checkProducts(of: catalogue)
        case .failure(let failure):
            let lines = input.count { $0 == 10 } + 1
            try require(
                (1...lines).contains(failure.line)
                    && (1...input.count + 1).contains(failure.column),
                "the place is outside: \(failure)")
            guard let respelled = Texts.canonical(input) else { return }
            guard case .failure(let other) = load(respelled) else {
                throw Violation("refused, and not when it is respelled: \(failure)")
            }
            try require(
                other.path == failure.path && other.reason == failure.reason,
                "another reason when it is respelled: \(failure), \(other)")
        }
    }

    private static func load(_ input: [UInt8]) -> Result<StoreCatalogue, CatalogueFailure> {
        do throws(CatalogueFailure) {
            return .success(try CatalogueFile.load(bytes: input, path: "x"))
        } catch {
            return .failure(error)
        }
    }

    private static func checkProducts(of catalogue: StoreCatalogue) throws(Violation) {
        for country in countries {
            let sold = catalogue.catalogue(of: country)
            try require(sold.country == country, "another country")
            for product in sold.products {
                try require(product.price.minorUnits != nil, "a price that cannot be charged")
                try require(
                    catalogue.product(product.productIdentifier, in: country) == product,
                    "another product of that name: \(product)")
            }
        }
    }
}

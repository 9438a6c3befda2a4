package import PaymentCore
package import StrictJSON

/// The answer of `GET /products`: all products sold in a country.
extension JSONWriter {
    /// Appends a catalogue.
    package mutating func storeCatalogue(_ catalogue: Catalogue) {
        beginObject()
        member("country", catalogue.country.description)
        name("products")
        beginArray()
        for product in catalogue.products {
            element()
            storeProduct(product)
        }
        endArray()
        endObject()
    }
}

extension Catalogue {
    /// Reads what `storeCatalogue` appends.
    package init(_ fields: MessageFields) throws(MessageFault) {
        var products: [Product] = []
        for product in try fields.objects("products") { products.append(try Product(product)) }
        self.init(
            country: try fields.required("country") { CountryCode($0) }, products: products)
    }
}

public import PaymentCore
public import PaymentSandbox
import PaymentStorage

/// A catalogue file that cannot be read or is not a catalogue.
public struct CatalogueFileFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A message with the path and the reason.
    public let description: String
}

extension StoreCatalogue {
    /// The account that a demonstration logs in to.
    public static let demoAccount: AccountName = "demo"

    /// Reads the catalogue of a program.
    ///
    /// - Parameters:
    ///   - path: The catalogue file; nil for the example.
    ///   - hasDemoAccount: Whether ``demoAccount`` is added if it is missing.
    /// - Returns: The catalogue.
    /// - Throws: The file cannot be read or is not a catalogue.
    public static func load(
        path: String?, hasDemoAccount: Bool
    ) throws(CatalogueFileFailure) -> StoreCatalogue {
        var catalogue = StoreCatalogue.example
        if let path {
            let data: [UInt8]
            do throws(GivenFile.Failure) {
                data = try GivenFile.read(path, .open)
            } catch {
                throw CatalogueFileFailure(
                    description: "cannot read catalogue '\(path)': \(error)")
            }
            do throws(CatalogueFailure) {
                catalogue = try CatalogueFile.load(bytes: data, path: path)
            } catch {
                throw CatalogueFileFailure(description: error.description)
            }
        }
        if hasDemoAccount { catalogue.ensureAccount(demoAccount) }
        return catalogue
    }
}

public import PaymentCore
public import PaymentSandbox
public import PaymentStorage

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
    ///   - secrecy: The users that may have access to a file with credentials.
    ///   - credentials: The directory of the service manager's credentials, which it protects itself.
    /// - Returns: The catalogue.
    /// - Throws: The file cannot be read, is not a catalogue, or has credentials that other users can read.
    public static func load(
        path: String?, hasDemoAccount: Bool, secrecy: GivenFile.Protection = .open,
        credentials: String? = nil
    ) throws(CatalogueFileFailure) -> StoreCatalogue {
        var catalogue = StoreCatalogue.example
        if let path {
            let file: GivenFile.Contents
            do throws(GivenFile.Failure) {
                file = try GivenFile.contents(of: path, .open, credentials: credentials)
            } catch {
                throw CatalogueFileFailure(
                    description: "cannot read catalogue '\(path)': \(error)")
            }
            do throws(CatalogueFailure) {
                catalogue = try CatalogueFile.load(bytes: file.bytes, path: path)
            } catch {
                throw CatalogueFileFailure(description: error.description)
            }
            do throws(GivenFile.Failure) {
                if catalogue.hasCredentials { try file.check(secrecy) }
            } catch {
                throw CatalogueFileFailure(
                    description: "cannot use catalogue with credentials '\(path)': \(error)")
            }
        }
        if hasDemoAccount { catalogue.ensureAccount(demoAccount) }
        return catalogue
    }
}

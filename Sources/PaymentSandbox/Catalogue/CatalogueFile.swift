import StrictJSON

/// The reader of catalogue files for the sandbox.
public enum CatalogueFile {
    /// Reads a native JSON catalogue or an Apple `.storekit` file (version 3, 4 or 5).
    ///
    /// The content decides the format, not the file name. Unknown members are ignored. A key pair
    /// in the file is neither kept nor repeated in an error.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - path: The name of the file for errors.
    /// - Returns: Products, accounts and initial settings.
    /// - Throws: The first invalid value of the file, with its place.
    public static func load(bytes: [UInt8], path: String) throws(CatalogueFailure) -> StoreCatalogue
    {
        let root = try CatalogueDocument(bytes: bytes, file: path).root
        let names = Set(try root.members().map(\.name))
        let version = try root.member("version")
        if version?.kind == .object || version == nil && !names.isDisjoint(with: appleNames) {
            return try StoreKitFileReader(root: root).read()
        }
        guard let version else {
            throw root.failure("'version' is missing; our own catalogues have \"version\": 1")
        }
        guard version.kind == .number, try version.integer(in: 0...Int.max) == 1 else {
            throw version.failure("this version of the catalogue is not supported; 1 is")
        }
        return try OwnCatalogueReader(root: root).read()
    }

    private static let appleNames: Set = [
        "identifier", "subscriptionGroups", "nonRenewingSubscriptions", "appPolicies", "settings",
    ]
}

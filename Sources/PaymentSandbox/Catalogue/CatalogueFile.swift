import StrictJSON

/// Reads the files that a sandbox can be configured with.
public enum CatalogueFile {
    /// Reads payqueued's own JSON catalogue or one of Apple's `.storekit` files (versions 3, 4 and
    /// 5).
    ///
    /// The content decides which format it is, not the file name. Unknown members are ignored. A
    /// key pair in the file is neither kept nor repeated in an error.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - path: The name of the file, for errors.
    /// - Returns: The products, accounts and initial settings.
    /// - Throws: The first error in the file, with its place.
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

/// The name and version of this build, and the version of its interface.
public enum Version {
    /// The release version, by semantic versioning.
    public static let current = "0.1.0"
    /// The date of the release, for manual pages.
    public static let date = "2026-11-23"
    /// The major version of the interface; within it only additions happen.
    public static let api = 1
    /// The server name in the result of `hello`.
    public static let server = "payqueued"
}

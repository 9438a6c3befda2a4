/// The name and version of this build, and the interface that it speaks.
public enum Version {
    /// The release, by semantic versioning.
    public static let current = "0.1.0"
    /// The day of the release, which manual pages show.
    public static let date = "2026-11-23"
    /// The major version of the interface; only additions happen within one.
    public static let api = 1
    /// The name that `hello` gives for the server.
    public static let server = "payqueued"
}

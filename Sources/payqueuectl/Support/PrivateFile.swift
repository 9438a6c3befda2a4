import Glibc

/// A file with a secret in it, which is its owner's alone.
enum PrivateFile {
    private static let limitBytes = 4096

    /// The secret, without the end of its line.
    ///
    /// - Parameters:
    ///   - path: The file; `-` is standard input, whose protection is up to the user.
    ///   - what: What the secret is called, for advice: `the Merchant Secret`.
    ///   - margin: What is taken away at both ends.
    /// - Returns: The secret; never empty.
    /// - Throws: ``CommandFailure`` if there is none, or others could read it.
    static func text(
        _ path: String, what: String, trimming margin: (Character) -> Bool = \.isNewline
    ) throws -> String {
        if path != "-" { try check(path, what) }
        let bytes = try Source.bytes(ofFile: path, limit: limitBytes)
        let name = path == "-" ? "standard input" : path
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                .usage, "cannot use the secret in '\(name)': it is not UTF-8 text",
                advice: "name the file with \(what)")
        }
        let secret = text.trimmed(margin)
        guard !secret.isEmpty else {
            throw CommandFailure(
                .usage, "cannot use the secret in '\(name)': the file is empty",
                advice: "write \(what) into it")
        }
        return secret
    }

    private static func check(_ path: String, _ what: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandFailure(
                .usage, "cannot read '\(path)': \(FileReason.ofReading(path))",
                advice: "name the file with \(what)")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                .usage, "cannot use the secret in '\(path)': others can read it",
                advice: "type 'chmod 600 \(Shell.quoted(path))'")
        }
    }
}

import Glibc

/// A file with a secret, which only its owner may read.
enum PrivateFile {
    private static let limitBytes = 4096

    /// The secret, without the line end.
    ///
    /// - Parameters:
    ///   - path: The file; `-` is standard input, which is not checked.
    ///   - what: The name of the secret for the advice: `the Merchant Secret`.
    ///   - margin: The characters to remove at both ends.
    /// - Returns: The secret; never empty.
    /// - Throws: ``CommandFailure`` if it is missing, or other users can read it.
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

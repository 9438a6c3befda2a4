import Foundation

/// A directory of one test, removed with everything in it at the end.
final class Workplace {
    /// The directory.
    let path: String

    init() throws {
        var template = Array("/tmp/payqueued-e2e-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw Trouble("cannot make a directory in /tmp")
        }
        path = String(cString: made)
    }

    deinit {
        // A leftover in /tmp is no reason to fail.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A path inside.
    func callAsFunction(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file inside and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = self(name)
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }
}

/// Something that a test needs did not work.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The bytes of a file; none if it cannot be read.
func contents(of path: String) -> [UInt8] {
    (try? Data(contentsOf: URL(filePath: path))).map(Array.init) ?? []
}

/// The text of a file.
func text(of path: String) -> String {
    String(decoding: contents(of: path), as: UTF8.self)
}

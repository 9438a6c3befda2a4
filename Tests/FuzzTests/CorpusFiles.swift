import Foundation

/// The kept inputs of the fuzzers.
enum CorpusFiles {
    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz/Corpus")

    /// The names of the folders, one for each target.
    static func targets() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// The inputs of a target by their names.
    static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
        let place = folder.appending(path: target)
        return try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().map {
            ($0, Array(try Data(contentsOf: place.appending(path: $0))))
        }
    }
}

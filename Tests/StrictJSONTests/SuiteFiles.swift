import Foundation

/// The files of JSONTestSuite, if they lie beside the checkout.
enum SuiteFiles {
    /// The folder of the parsing cases, or nil where the test data was not installed.
    static let folder: URL? = {
        var candidates: [URL] = []
        if let path = ProcessInfo.processInfo.environment["PAYQUEUED_TEST_DATA"] {
            candidates.append(URL(fileURLWithPath: path, isDirectory: true))
        }
        for start in [
            URL(fileURLWithPath: #filePath).resolvingSymlinksInPath(),
            URL(fileURLWithPath: #filePath),
        ] {
            var place = start
            while place.path != "/" {
                place.deleteLastPathComponent()
                candidates.append(place.appendingPathComponent("shared/data", isDirectory: true))
            }
        }
        return candidates.map { $0.appendingPathComponent("JSONTestSuite/test_parsing") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    /// The names of all cases, sorted.
    static let names: [String] = {
        guard let folder else { return [] }
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".json") }.sorted()
    }()

    /// The names of the cases that must parse, must not, or may do either.
    static let mustParse = names.filter { $0.hasPrefix("y_") }
    static let mustNotParse = names.filter { $0.hasPrefix("n_") }
    static let free = names.filter { $0.hasPrefix("i_") }

    /// The bytes of a case.
    static func bytes(_ name: String) throws -> [UInt8] {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}

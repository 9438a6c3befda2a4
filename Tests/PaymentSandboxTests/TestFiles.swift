import Foundation

/// Where the files of the tests lie.
enum TestFiles {
    /// The third-party files beside the checkout, nil where they are not there.
    static let storekitFolder: URL? = {
        let environment = ProcessInfo.processInfo.environment["PAYQUEUED_TEST_DATA"]
        let own = URL(filePath: #filePath).resolvingSymlinksInPath()
        let folders =
            environment.map { [URL(filePath: $0)] } ?? []
            + sequence(first: own) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
            .map { $0.appending(path: "shared/data") }
        return folders.map { $0.appending(path: "storekit") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    /// Every `.storekit` file of that folder.
    static let storekitFiles: [URL] = {
        guard let storekitFolder,
            let files = try? FileManager.default.contentsOfDirectory(
                at: storekitFolder, includingPropertiesForKeys: nil)
        else { return [] }
        return files.filter { $0.pathExtension == "storekit" }.sorted { $0.path < $1.path }
    }()

    /// The bytes of a file in `Fixtures`.
    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
    }
}

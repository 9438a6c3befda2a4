import Foundation

/// The documentation of OnsideKit and StoreKit that lies beside the checkout.
enum ForeignTexts {
    /// The pages; nil where they are not there.
    static let pages: [String]? = {
        let named = ProcessInfo.processInfo.environment["PAYQUEUED_TEST_DATA"]
        let own = URL(filePath: #filePath).resolvingSymlinksInPath()
        let folders =
            (named.map { [URL(filePath: $0).deletingLastPathComponent()] } ?? [])
            + sequence(first: own) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
            .map { $0.appending(path: "shared") }
        for folder in folders {
            let found = try? FileManager.default.contentsOfDirectory(
                at: folder.appending(path: "seeds"), includingPropertiesForKeys: nil)
            let files = (found ?? []).filter { $0.pathExtension == "txt" }
            guard !files.isEmpty else { continue }
            return files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }
        }
        return nil
    }()

    /// The names of types, methods, properties, states, errors and fields on a page.
    ///
    /// These are words with capitals inside, underscores or argument labels, cases behind a dot,
    /// single words that are set as code, and what merchants are given.
    static func names(in page: String) -> Set<String> {
        let text = page.replacing(#/https?:\/\/[^\s`)"]+|\]\((?:[^()]|\([^()]*\))*\)/#, with: " ")
        var names = Set(
            text.matches(of: #/[A-Za-z_]\w*(?:\((?:\w+:)+\)|\(\))?/#).map { String($0.output) }
                .filter(isCode))
        names.formUnion(text.matches(of: #/[\s(,|`]\.([a-z]\w+)/#).map { String($0.1) })
        names.formUnion(text.matches(of: #/`\.?([A-Za-z]\w*)`/#).map { String($0.1) })
        names.formUnion(text.matches(of: #/<code>\.?([A-Za-z]\w*)<\/code>/#).map { String($0.1) })
        names.formUnion(
            text.matches(of: #/Merchant ID|Merchant Secret|Secret Key ID/#)
                .map { String($0.output) })
        return names
    }

    private static func isCode(_ word: String) -> Bool {
        word.contains("(") || word.dropFirst().contains("_") || word.contains(#/[a-z][A-Z]/#)
            || word.hasPrefix("SK")
    }
}

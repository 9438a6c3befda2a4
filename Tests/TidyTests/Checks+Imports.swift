/// The checks: each reads a tree and says what it objects to.
enum Checks {}

extension Checks {
    /// Modules that a Swift file imports, with their lines.
    static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
        let pattern =
            #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public\s+|package\s+|internal\s+|fileprivate\s+|private\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?([A-Za-z_]\w*)/#
        return SwiftCode.lines(of: file.text).enumerated().compactMap { index, line in
            line.firstMatch(of: pattern).map { (String($0.1), index + 1) }
        }
    }

    /// A file imports only what the row of its target allows.
    static func importsOutsideTheirRow(_ tree: SourceTree) -> [Finding] {
        let table = importTable(of: tree)
        return tree.files.filter(\.isSwift).flatMap { file -> [Finding] in
            guard let target = file.target, let row = table[target] else { return [] }
            return imports(of: file).filter { !row.allowed.contains($0.module) }.map {
                Finding(
                    path: file.path, line: $0.line,
                    message: "\(target) may not import \($0.module)")
            }
        }
    }

    /// Modules that are all of Foundation, or bring it. One import of them anywhere, and a program that
    /// is linked statically carries the tables of Unicode: twice its size.
    private static let wholeFoundation: Set = [
        "Foundation", "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
        "HTTPTypesFoundation", "NIOFoundationCompat",
    ]

    /// What is shipped imports no more of Foundation than its essentials.
    static func importsOfAllOfFoundation(_ tree: SourceTree) -> [Finding] {
        tree.files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }.flatMap { file in
            imports(of: file).filter { wholeFoundation.contains($0.module) }.map {
                Finding(
                    path: file.path, line: $0.line,
                    message: "import FoundationEssentials, not \($0.module)")
            }
        }
    }

    /// Every target has a row, every row a target, and the manifest declares what the row allows:
    /// no more and no less.
    static func rowsThatAreNotTrue(_ tree: SourceTree) -> [Finding] {
        let table = importTable(of: tree)
        let manifest = Manifest(tree[Manifest.path]?.text ?? "")
        let targets = Set(tree.folders(in: "Sources"))
        var messages = targets.filter { table[$0] == nil }.sorted()
            .map { "\($0) has no row" }
        for row in table.rows {
            guard targets.contains(row.target) else {
                messages.append("\(row.target) has a row and no sources")
                continue
            }
            let declared = manifest.dependencies[row.target] ?? []
            let stated = row.ours.union(row.packages)
            messages += declared.subtracting(stated).sorted()
                .map { "\(row.target) depends on \($0), its row does not say so" }
            messages += stated.subtracting(declared).sorted()
                .map { "the row of \(row.target) allows \($0), the manifest does not" }
        }
        return messages.map { Finding(path: ImportTable.document, line: 0, message: $0) }
    }

    /// End-to-end tests know the binary, the socket and the files, and no module of the product.
    static func productImportsEndToEnd(_ tree: SourceTree) -> [Finding] {
        let ours = Set(tree.folders(in: "Sources"))
        return tree.files.filter { $0.isSwift && $0.path.hasPrefix("Tests/EndToEndTests/") }
            .flatMap { file in
                imports(of: file).filter { ours.contains($0.module) }.map {
                    Finding(
                        path: file.path, line: $0.line,
                        message: "end-to-end tests may not import \($0.module)")
                }
            }
    }

    private static func importTable(of tree: SourceTree) -> ImportTable {
        ImportTable(markdown: tree[ImportTable.document]?.text ?? "")
    }
}

extension Checks {
    static let resolvedVersions = "Package.resolved"

    /// The manifest names the version of every package that was resolved. A package that a dependency
    /// begins to use would come in any version, so that two builds of a commit could differ.
    static func floatingVersions(_ tree: SourceTree) -> [Finding] {
        guard let resolved = tree[resolvedVersions], let manifest = tree[Manifest.path] else {
            return [Finding(path: resolvedVersions, line: 0, message: "is missing")]
        }
        let fixed = Set(
            manifest.text.matches(of: #/([\w-]+)",\s*(?:exact:\s*)?"(\d[^"]*)"/#)
                .map { "\($0.1) \($0.2)" })
        return resolved.text.matches(
            of: #/"identity"\s*:\s*"([^"]+)"[^{]*\{[^}]*"version"\s*:\s*"([^"]+)"/#
        ).filter { !fixed.contains("\($0.1) \($0.2)") }.map {
            Finding(path: Manifest.path, line: 0, message: "\($0.1) \($0.2) is not fixed")
        }
    }
}

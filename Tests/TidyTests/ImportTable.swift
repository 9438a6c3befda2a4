/// Who may import what: the table of `ARCHITECTURE.md`, read from the document itself, so that the
/// document cannot say one thing and the code do another.
struct ImportTable {
    /// One row of it.
    struct Row {
        let target: String
        /// Targets of this package.
        let ours: Set<String>
        /// Modules of other packages.
        let packages: Set<String>
        /// Modules that come with the toolchain.
        let toolchain: Set<String>

        var allowed: Set<String> { ours.union(packages).union(toolchain) }
    }

    let rows: [Row]

    static let document = "ARCHITECTURE.md"
    static let heading = "## Targets and what they may import"

    subscript(target: String) -> Row? { rows.first { $0.target == target } }

    /// Reads the first table below the heading; without one there are no rows.
    init(markdown: String) {
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != Self.heading }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let table = section.filter { $0.hasPrefix("|") }.dropFirst(2)
        rows = table.compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != "`" } }
            guard cells.count >= 6 else { return nil }
            return Row(
                target: Self.names(cells[1]).joined(), ours: Set(Self.names(cells[2])),
                packages: Set(Self.names(cells[3])), toolchain: Set(Self.names(cells[4])))
        }
    }

    /// The names in a cell; a dash stands for none.
    private static func names(_ cell: String) -> [String] {
        cell.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
            .filter { !$0.isEmpty && $0 != "–" }
    }
}

/// What `Package.swift` declares for each target, as far as the checks need it.
struct Manifest {
    /// Names of declared dependencies by target: other targets and products of other packages.
    let dependencies: [String: Set<String>]
    /// Names of the products of the package.
    let products: Set<String>
    /// Names of all targets, tests included.
    var targets: Set<String> { Set(dependencies.keys) }

    static let path = "Package.swift"

    init(_ text: String) {
        let declared = text.matches(
            of: #/let\s+(\w+)\s*=\s*Target\.Dependency\.product\(\s*name:\s*"([^"]+)"/#)
        let shorthands = Dictionary(
            declared.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
        let targetStart =
            #/\.(target|executableTarget|testTarget|systemLibrary)\(\s*name:\s*"([^"]+)"/#
        var dependencies: [String: Set<String>] = [:]
        let starts = text.matches(of: targetStart)
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
            let body = text[start.range.upperBound..<end]
            dependencies[String(start.2)] = Self.names(inDependenciesOf: body, shorthands)
        }
        self.dependencies = dependencies
        products = Set(
            text.matches(of: #/\.(?:executable|library)\(\s*name:\s*"([^"]+)"/#)
                .map { String($0.1) })
    }

    private static func names(
        inDependenciesOf body: Substring, _ shorthands: [String: String]
    ) -> Set<String> {
        // A list, and perhaps a second one that a function passes on: `[…] + reaching([…])`.
        let lists = #/dependencies:\s*\[([^\]]*)\](?:\s*\+\s*\w+\(\[([^\]]*)\]\))?/#
        guard let found = body.firstMatch(of: lists) else { return [] }
        let list = found.1 + (found.2 ?? "")
        // A product names its package too, which is no module.
        let plain = list.replacing(#/,\s*package:\s*"[^"]*"/#, with: "")
        let quoted = plain.matches(of: #/"([^"]+)"/#).map { String($0.1) }
        let words = plain.replacing(#/"[^"]*"/#, with: "").matches(of: #/\w+/#)
        return Set(quoted + words.compactMap { shorthands[String($0.output)] })
    }
}

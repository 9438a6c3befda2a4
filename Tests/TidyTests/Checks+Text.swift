extension Checks {
    /// Paths of somebody's machine and hosts of package registries have no place in any file. (The
    /// patterns are written so that they do not match themselves.)
    static func localTraces(_ tree: SourceTree) -> [Finding] {
        let patterns: [(String, Regex<Substring>)] = [
            (
                "a path of one machine",
                #/(?:^|[\s"'`=(:])/(?:wor[k]|Users|hom[e]/[a-z]|roo[t]/)[/a-z]/#
            ),
            ("a path of one machine", #/(?:^|[\s"'`=(:])/op[t]/swift/#),
            (
                "a package registry",
                #/(?:pyp[i]|npmj[s]|crate[s]\.io|proxy\.golan[g]|jfro[g]|artifactor[y]|nexu[s]\.)/#
            ),
            ("an address in a private network", #/\b(?:10|192\.168)\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/#),
        ]
        return tree.files.flatMap { file in
            file.lines.enumerated().flatMap { index, line in
                patterns.filter { line.contains($0.1) }.map {
                    Finding(path: file.path, line: index + 1, message: $0.0)
                }
            }
        }
    }

    /// Documents, texts and comments give reasons or lead to a page; they do not cite papers that are not
    /// in the repository, such as a numbered rule, or a tag of a letter and a number in brackets or in
    /// front of a sentence. (The patterns are written so that they do not match themselves.)
    static func foreignCitations(_ tree: SourceTree) -> [Finding] {
        let pattern =
            #/\b(?:rule|pains?|readings?) R?[0-9]+(?:\.[0-9]+)?\b|reliability rul[e]|\bPROTOCOL\.m[d]|\bHOUS[E]\b/#
        let tag =
            #/\([RSDBT][0-9]{1,2}\)|\b(?:see|finding|issue) [RSDBT][0-9]{1,2}\b|(?:"|`|// )[RSDBT][0-9]{1,2}: /#
        return tree.files.filter { !$0.path.hasSuffix(".jsonl") }.flatMap { file in
            file.lines.enumerated().flatMap { index, line -> [Finding] in
                guard let found = line.firstMatch(of: pattern) ?? line.firstMatch(of: tag) else {
                    return []
                }
                let message =
                    "'\(found.0)' is not in the repository; say the reason, or link a page"
                return [Finding(path: file.path, line: index + 1, message: message)]
            }
        }
    }

    /// No text that users meet uses a phrase of the word list. The changelog is history.
    static func foreignPhrases(_ tree: SourceTree) -> [Finding] {
        UserTexts.all(in: tree).filter { $0.path != "CHANGELOG.md" }.flatMap { text in
            WordList.house.found(in: text.text).map {
                Finding(
                    path: text.path, line: text.line,
                    message: "'\($0.wording)' does not read well; better: \($0.better)")
            }
        }
    }

    /// A documentation comment begins with the thing that it describes, not with a question about
    /// it; that of an initialiser does not begin with "Makes".
    static func questioningComments(_ tree: SourceTree) -> [Finding] {
        let questions: Set<Substring> = ["Who", "What", "Somebody", "Nobody", "Whoever"]
        return tree.files.filter { $0.target != nil }.flatMap { file in
            file.lines.enumerated().compactMap { index, line -> Finding? in
                let text = line.drop { $0 == " " }
                guard text.hasPrefix("/// ") else { return nil }
                let word = text.dropFirst(4).prefix { $0.isLetter }
                let declaration = file.lines[index...].first { !$0.contains("///") } ?? ""
                let isMaking = word == "Makes" && declaration.contains(" init")
                guard questions.contains(word) || isMaking else { return nil }
                return Finding(
                    path: file.path, line: index + 1,
                    message: "begin with the thing that is described, not with '\(word)'")
            }
        }
    }

    /// Every relative link in a document leads to a file, and its anchor to a heading of that file. The
    /// links that only DocC knows lead nowhere on a repository's page: `make docs` makes them.
    static func brokenLinks(_ tree: SourceTree) -> [Finding] {
        tree.files.filter { $0.path.hasSuffix(".md") }.flatMap { file in
            links(in: file).compactMap { link, line in
                problem(with: link, from: file, in: tree).map {
                    Finding(path: file.path, line: line, message: $0)
                }
            }
        }
    }

    /// The README can be read in two minutes and shows a command on its first screen.
    static func tiresomeReadme(_ tree: SourceTree) -> [Finding] {
        guard let readme = tree["README.md"] else {
            return [Finding(path: "README.md", line: 0, message: "there is none")]
        }
        var findings: [Finding] = []
        if readme.lines.count > 120 {
            findings.append(
                Finding(path: readme.path, line: 121, message: "longer than 120 lines"))
        }
        if !readme.lines.prefix(20).contains(where: { $0.hasPrefix("make ") || $0.hasPrefix("$ ") })
        {
            findings.append(
                Finding(path: readme.path, line: 20, message: "no command by line 20"))
        }
        return findings
    }

    /// Every product, binary and test target that the Makefile names exists.
    static func unknownNamesInMakefile(_ tree: SourceTree) -> [Finding] {
        let manifest = Manifest(tree[Manifest.path]?.text ?? "")
        guard let makefile = tree["Makefile"] else {
            return [Finding(path: "Makefile", line: 0, message: "there is none")]
        }
        return makefile.lines.enumerated().flatMap { index, line -> [Finding] in
            let products = line.matches(of: #/(?:--product |\$\(release_bin\)/)([\w-]+)/#)
                .map { String($0.1) }.filter { !manifest.products.contains($0) }
            let tests = line.matches(of: #/--filter (\w+)/#)
                .map { String($0.1) }.filter { !manifest.targets.contains($0) }
            return (products + tests).map {
                Finding(path: makefile.path, line: index + 1, message: "there is no \($0)")
            }
        }
    }

    /// Decision records are numbered from 1 without a gap.
    static func missingDecisions(_ tree: SourceTree) -> [Finding] {
        let folder = "Sources/payqueued/Documentation.docc/Decisions/"
        let numbers = tree.files.filter { $0.path.hasPrefix(folder) }
            .compactMap { Int($0.path.dropFirst(folder.count).prefix(4)) }.sorted()
        return zip(numbers, 1...).filter { $0 != $1 }.prefix(1).map {
            Finding(path: folder, line: 0, message: "record \($0.1) is missing or doubled")
        }
    }

    private static func links(in file: SourceFile) -> [(String, Int)] {
        var isCode = false
        return file.lines.enumerated().flatMap { index, line -> [(String, Int)] in
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode else { return [] }
            let plain = line.replacing(#/`[^`]*`/#, with: "")
            let found = plain.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }
            let pages = plain.matches(of: #/<(doc:[^>\s]+)>/#).map { String($0.1) }
            return (found + pages).map { ($0, index + 1) }
        }
    }

    private static func problem(
        with link: String, from file: SourceFile, in tree: SourceTree
    ) -> String? {
        if link.hasPrefix("https://") || link.hasPrefix("mailto:") { return nil }
        if link.hasPrefix("doc:") { return "\(link) leads nowhere as plain Markdown" }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? file.path : resolve(parts[0], from: file.path)
        guard tree.exists(path) else { return "the link \(link) leads nowhere" }
        guard parts.count > 1, let text = tree[path]?.text else { return nil }
        let anchors = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map(anchor)
        return anchors.contains(String(parts[1])) ? nil : "no heading for \(link)"
    }

    /// The path that a link means, `.` and `..` worked out.
    private static func resolve(_ link: Substring, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }

    /// A heading as the anchor that it gets on the web.
    private static func anchor(_ heading: Substring) -> String {
        let words = heading.drop { $0 == "#" || $0 == " " }.lowercased()
        return String(
            words.compactMap { character -> Character? in
                if character == " " { return "-" }
                let stays = character.isLetter || character.isNumber || "-_".contains(character)
                return stays ? character : nil
            })
    }
}

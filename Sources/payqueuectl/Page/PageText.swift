import NIOHTTP1

/// The page itself: one document with its style and script inside, as the browser gets it.
enum PageText {
    /// The style and the parts of the script, in the order in which they run.
    private static let style = PackageResources.page_css
    private static let scripts = [
        PackageResources.basics_js, PackageResources.overview_js, PackageResources.list_js,
        PackageResources.story_js, PackageResources.sandbox_js, PackageResources.page_js,
    ]

    /// The answer that holds the page.
    ///
    /// - Parameters:
    ///   - token: What the page's calls have to show.
    ///   - isReadOnly: Whether the page shows no actions.
    /// - Returns: The answer. What is inside runs by a number that is used once; nothing else runs.
    static func answer(token: String, isReadOnly: Bool) -> PageAnswer {
        let nonce = PageAccess.secret(words: 2)
        let policy = [
            "default-src 'none'", "style-src 'nonce-\(nonce)'", "script-src 'nonce-\(nonce)'",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
        return PageAnswer(
            type: "text/html; charset=utf-8",
            document(nonce: nonce, token: token, isReadOnly: isReadOnly),
            headers: [("content-security-policy", policy)])
    }

    private static func document(nonce: String, token: String, isReadOnly: Bool) -> [UInt8] {
        let values: [String: [UInt8]] = [
            "nonce": Array(nonce.utf8), "token": Array(token.utf8),
            "mode": Array((isReadOnly ? "read-only" : "").utf8), "style": style,
            "script": Array(scripts.joined()),
        ]
        var page: [UInt8] = []
        // What stands in doubled braces is a place to fill in.
        for (index, piece) in pieces.enumerated() {
            page += index % 2 == 0 ? piece : values[String(decoding: piece, as: UTF8.self)] ?? []
        }
        return page
    }

    /// The document, taken apart at each pair of doubled braces.
    private static let pieces: [[UInt8]] = {
        let text = String(decoding: PackageResources.page_html, as: UTF8.self)
        return text.split(separator: "{{", omittingEmptySubsequences: false).flatMap { part in
            part.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false)
                .map { Array($0.utf8) }
        }
    }()
}

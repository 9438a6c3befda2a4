import NIOHTTP1

/// The page: one document with embedded style and scripts.
enum PageText {
    /// The style, and the scripts in execution order.
    private static let style = PackageResources.page_css
    private static let scripts = [
        PackageResources.basics_js, PackageResources.overview_js, PackageResources.list_js,
        PackageResources.story_js, PackageResources.sandbox_js, PackageResources.page_js,
    ]

    /// The response with the page.
    ///
    /// - Parameters:
    ///   - token: The token that the page's calls must send.
    ///   - isReadOnly: Whether the page offers no actions.
    /// - Returns: The response. Only the embedded scripts can run, by a one-time nonce.
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
        // Doubled braces mark placeholders.
        for (index, piece) in pieces.enumerated() {
            page += index % 2 == 0 ? piece : values[String(decoding: piece, as: UTF8.self)] ?? []
        }
        return page
    }

    /// The document, split at the doubled braces.
    private static let pieces: [[UInt8]] = {
        let text = String(decoding: PackageResources.page_html, as: UTF8.self)
        return text.split(separator: "{{", omittingEmptySubsequences: false).flatMap { part in
            part.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false)
                .map { Array($0.utf8) }
        }
    }()
}

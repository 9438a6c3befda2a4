public import PaymentCore
internal import StrictJSON

/// The signed history of the account in session, page by page, the newest payment first.
///
/// Each page is a JWS that can be verified by itself, with the keys that the method `keys` returns.
/// New payments do not move pages: every payment that was there at the first page comes
/// once. Only the page that is looked at is in memory.
///
/// ```swift
/// for try await page in queue.historyPages() {
///     verify(page.jws)
/// }
/// ```
public struct SignedHistoryPages: AsyncSequence, Sendable {
    /// A page as the store has signed it.
    public typealias Element = SignedHistory

    private let limit: Int?
    private let first: OpaqueText?
    private let path: String
    private let call: @Sendable (JSONValue) async throws -> JSONValue

    init(
        limit: Int?, from first: OpaqueText?, path: String,
        call: @escaping @Sendable (JSONValue) async throws -> JSONValue
    ) {
        self.limit = limit
        self.first = first
        self.path = path
        self.call = call
    }

    /// Begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self, page: first) }

    /// Asks for one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pages: SignedHistoryPages
        fileprivate var page: OpaqueText?
        private var isAtEnd = false

        fileprivate init(pages: SignedHistoryPages, page: OpaqueText?) {
            self.pages = pages
            self.page = page
        }

        /// The next page; nil after the last one.
        ///
        /// - Throws: ``RPCError`` if the daemon said no: 1203 if the page is gone, which has to begin
        ///   with the first one again. ``ConnectionFailure`` if no answer came.
        public mutating func next() async throws -> SignedHistory? {
            guard !isAtEnd else { return nil }
            var members: [JSONMember] = []
            if let limit = pages.limit {
                members.append(JSONMember(name: "limit", value: .integer(limit)))
            }
            if let page { members.append(JSONMember(name: "page", value: .string(page.string))) }
            let answer = try await pages.call(.object(members))
            guard let jws = answer["jws"]?.stringValue, let key = answer["kid"]?.stringValue,
                let algorithm = answer["alg"]?.stringValue
            else { throw ConnectionFailure.notUnderstood(pages.path, "a history without a JWS") }
            page = answer["next"]?.stringValue.map { OpaqueText($0) }
            isAtEnd = page == nil
            return SignedHistory(jws: jws, keyID: key, algorithm: algorithm, next: page)
        }
    }
}

extension PaymentQueueClient {
    /// The signed history of the account in session, page by page, the newest payment first.
    ///
    /// - Parameters:
    ///   - limit: Most purchases of a page; without it as many as a reply has room for.
    ///   - first: The page to begin with, as an earlier page named it; nil for the newest payments.
    /// - Returns: The pages; nothing is asked before the first one is.
    public nonisolated func historyPages(
        limit: Int? = nil, from first: OpaqueText? = nil
    ) -> SignedHistoryPages {
        SignedHistoryPages(limit: limit, from: first, path: path) { [self] params in
            try await call("signedHistory", params)
        }
    }
}

extension PaymentConnection {
    /// The signed history of the account in session, page by page, the newest payment first.
    ///
    /// - Parameters:
    ///   - limit: Most purchases of a page; without it as many as a reply has room for.
    ///   - first: The page to begin with, as an earlier page named it; nil for the newest payments.
    ///   - timeout: How long to wait for each page; nil for ever.
    /// - Returns: The pages; nothing is asked before the first one is.
    public nonisolated func historyPages(
        limit: Int? = nil, from first: OpaqueText? = nil, timeout: Duration? = .seconds(30)
    ) -> SignedHistoryPages {
        SignedHistoryPages(limit: limit, from: first, path: path) { [self] params in
            try await call("signedHistory", params, timeout: timeout)
        }
    }
}

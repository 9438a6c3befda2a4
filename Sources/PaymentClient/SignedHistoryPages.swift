public import PaymentCore
internal import StrictJSON

/// The signed history of the account in session, page by page, newest payment first.
///
/// Each page is a JWS that can be verified on its own, with the keys of the method `keys`. New
/// payments do not shift pages: each payment that existed at the first page appears once. Only the
/// current page is in memory.
///
/// ```swift
/// for try await page in queue.historyPages() {
///     verify(page.jws)
/// }
/// ```
public struct SignedHistoryPages: AsyncSequence, Sendable {
    /// A page, as signed by the store.
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

    /// Creates an iterator at the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self, page: first) }

    /// The iterator of the pages.
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
        /// - Throws: ``RPCError`` if the daemon refused the call, with code 1203 if the page has
        ///   expired and iteration must restart. ``ConnectionFailure`` if no reply arrived.
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
    /// The signed history of the account in session, page by page, newest payment first.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of purchases per page; nil for as many as fit into a reply.
    ///   - first: The page to begin with, from an earlier page; nil for the newest payments.
    /// - Returns: The pages; each is requested when it is read.
    public nonisolated func historyPages(
        limit: Int? = nil, from first: OpaqueText? = nil
    ) -> SignedHistoryPages {
        SignedHistoryPages(limit: limit, from: first, path: path) { [self] params in
            try await call("signedHistory", params)
        }
    }
}

extension PaymentConnection {
    /// The signed history of the account in session, page by page, newest payment first.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of purchases per page; nil for as many as fit into a reply.
    ///   - first: The page to begin with, from an earlier page; nil for the newest payments.
    ///   - timeout: The longest time to wait for each page; nil for no limit.
    /// - Returns: The pages; each is requested when it is read.
    public nonisolated func historyPages(
        limit: Int? = nil, from first: OpaqueText? = nil, timeout: Duration? = .seconds(30)
    ) -> SignedHistoryPages {
        SignedHistoryPages(limit: limit, from: first, path: path) { [self] params in
            try await call("signedHistory", params, timeout: timeout)
        }
    }
}

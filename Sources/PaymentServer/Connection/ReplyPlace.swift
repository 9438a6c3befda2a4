import JSONRPC

/// The place of a request's reply in its reply line.
struct ReplyPlace {
    /// The offset where the reply line begins.
    var start: Int
    var isInBatch = false
    /// The number of elements of its batch that are still to be answered in the same line.
    var elementsBehind = 0

    /// An upper bound of the reply to any call that changes something, with texts of the default
    /// lengths, in bytes.
    static let roomForChange = 4096 + RequestEnvelope.idLimitBytes
    /// An upper bound of the error that a reply line has no room, in bytes.
    private static let roomForRefusal = 256 + RequestEnvelope.idLimitBytes

    /// The offset where the reply must end, so that the line stays within its limit.
    func end(limit: Int) -> Int {
        start + limit - (isInBatch ? elementsBehind * Self.roomForRefusal + 2 : 0)
    }
}

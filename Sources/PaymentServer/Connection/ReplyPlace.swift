import JSONRPC

/// Where the reply to a request stands in its line.
struct ReplyPlace {
    /// Where the line begins.
    var start: Int
    var isInBatch = false
    /// How many elements of its batch are still to be answered in the same line.
    var elementsBehind = 0

    /// More bytes than the reply to a call that changes anything has, with texts of the default lengths.
    static let roomForChange = 4096 + RequestEnvelope.idLimitBytes
    /// More bytes than it takes to say that there is no room.
    private static let roomForRefusal = 256 + RequestEnvelope.idLimitBytes

    /// Where the reply must end, so that the line keeps to its limit.
    func end(limit: Int) -> Int {
        start + limit - (isInBatch ? elementsBehind * Self.roomForRefusal + 2 : 0)
    }
}

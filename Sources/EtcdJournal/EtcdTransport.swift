/// The transport of requests to the members of etcd.
protocol EtcdTransport: Sendable {
    /// Sends a request to a member.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - patience: The time that the member has to answer.
    /// - Returns: The answer, also if it reports an error.
    /// - Throws: No answer came. The request may have been executed, or may be executed later.
    func exchange(
        _ request: EtcdRequest, patience: Duration
    ) async throws -> (status: Int, body: [UInt8])

    /// Sends a request whose answer does not end, and calls a closure for each part of it.
    ///
    /// - Throws: The member refuses, or the connection has failed.
    func watch(_ request: EtcdRequest, _ ring: @Sendable () -> Void) async throws

    /// Closes all connections.
    func close() async
}

/// A request to a member.
struct EtcdRequest: Sendable {
    /// The name of the call, such as `kv/txn`.
    var path: String
    var body: [UInt8]
    /// The position of the member in the options.
    var member: Int
    /// Authorises the request, if there is a user.
    var token: String?
}

/// Runs a cancellable body with a time limit.
///
/// - Parameters:
///   - timeout: The time limit.
///   - failure: The error to throw when the limit has passed.
///   - body: The work. It is cancelled at the limit and must then end, because the call waits for
///     it.
/// - Returns: The result of the body.
/// - Throws: `failure`, or the error of the body.
package func within<Value: Sendable>(
    _ timeout: Duration, orThrow failure: any Error,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: timeout)
            throw failure
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw failure }
        return first
    }
}

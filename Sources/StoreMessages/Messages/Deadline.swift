/// Runs a body that ends when it is cancelled, for so long at most.
///
/// - Parameters:
///   - timeout: How long.
///   - failure: What is thrown when it takes longer.
///   - body: What is run; cancelled when the time is over, and waited for.
/// - Returns: What the body returns.
/// - Throws: The failure, or what the body throws.
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

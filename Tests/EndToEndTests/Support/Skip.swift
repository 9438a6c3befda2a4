import Testing

/// A case that cannot be tried here.
enum Skip {
    /// Says in the test's output what was not tried and why.
    static func because(_ reason: String, _ name: String = #function) {
        print("skipped \(name): \(reason)")
    }
}

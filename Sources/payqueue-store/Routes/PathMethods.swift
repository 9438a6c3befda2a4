import Hummingbird

/// The methods of each path, for responses to other methods.
struct PathMethods: Sendable {
    private let routes: [(steps: [Substring], method: String)]

    /// Collects the routes of a router.
    init(of router: Router<StoreContext>) {
        routes = router.routes.map { route in
            (Self.steps(of: route.path.description), route.method.rawValue)
        }
    }

    /// The methods of a path in alphabetical order, with HEAD for each GET; empty for an unknown
    /// path.
    func methods(of path: String) -> [String] {
        let steps = Self.steps(of: path)
        var methods = Set(routes.filter { Self.leads($0.steps, to: steps) }.map(\.method))
        if methods.contains("GET") { methods.insert("HEAD") }
        return methods.sorted()
    }

    private static func steps(of path: String) -> [Substring] {
        path.split(separator: "/").map { Substring($0) }
    }

    private static func leads(_ pattern: [Substring], to steps: [Substring]) -> Bool {
        pattern.count == steps.count
            && zip(pattern, steps).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}

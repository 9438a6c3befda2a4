/// A measured cost and its limit.
public struct Figure: Sendable, Hashable {
    /// The name of the figure, with the unit.
    public var name: String
    /// The measured value.
    public var value: Double
    /// The value that is still good; nil for a figure without one.
    public var limit: Double?
    /// The number of decimals to print.
    public var decimals: Int

    /// Creates a figure.
    public init(_ name: String, _ value: Double, limit: Double? = nil, decimals: Int = 2) {
        self.name = name
        self.value = value
        self.limit = limit
        self.decimals = decimals
    }

    /// Whether the value is within its limit.
    public var isGood: Bool { limit.map { value <= $0 } ?? true }

    /// Figures as a table for people.
    public static func tableText(_ figures: [Figure]) -> String {
        table(
            ["what", "", "measured", "limit"],
            figures.map { figure in
                [
                    figure.name, figure.isGood ? "" : "TOO MUCH",
                    fixed(figure.value, figure.decimals),
                    figure.limit.map { fixed($0, figure.decimals) } ?? "",
                ]
            })
    }
}

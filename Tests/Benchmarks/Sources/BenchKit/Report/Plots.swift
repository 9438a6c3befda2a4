import Foundation

/// A bar chart with horizontal bars in groups: one group for each label.
public struct BarChart: Sendable {
    /// A bar.
    public struct Bar: Sendable {
        /// The length, in the unit of the chart.
        public var length: Double
        /// The text behind the bar.
        public var text: String
        /// The colour.
        public var colour: Picture.Colour

        /// Creates a bar.
        public init(_ length: Double, _ text: String, _ colour: Picture.Colour) {
            self.length = length
            self.text = text
            self.colour = colour
        }
    }

    /// The heading.
    public var title: String
    /// The length at which a line marks the goal; nil without one.
    public var mark: Double?
    /// Whether the length of a bar is the logarithm of its figure, for figures of at least 1.
    public var isLogarithmic = false
    /// The labels with their bars.
    public var groups: [(label: String, bars: [Bar])]

    private static let labelWidth = 430.0
    private static let barWidth = 340.0
    private static let barHeight = 12.0
    private static let gap = 8.0

    /// The drawing. The longest bar takes the whole width.
    public var picture: Picture {
        let longest = max(mark ?? 0, groups.flatMap(\.bars).map { scaled($0.length) }.max() ?? 0)
        let scale = longest > 0 ? Self.barWidth / longest : 0
        let heights = groups.map { Double($0.bars.count) * Self.barHeight + Self.gap }
        let top = 40.0
        let bottom = top + heights.reduce(0, +)
        var picture = Picture(width: 1_000, height: Int(bottom) + 12)
        picture.text(title, x: 12, y: 22)
        if let mark {
            let x = Self.labelWidth + 10 + mark * scale
            picture.line(x1: x, y1: top - 8, x2: x, y2: bottom)
        }
        var y = top
        for (group, height) in zip(groups, heights) {
            let middle = y + (height - Self.gap) / 2 + 4
            picture.text(group.label, x: Self.labelWidth, y: middle, isAtEnd: true)
            for (index, bar) in group.bars.enumerated() {
                let barTop = y + Double(index) * Self.barHeight
                let x = Self.labelWidth + 10
                let width = scaled(bar.length) * scale
                picture.bar(
                    x: x, y: barTop + 1, width: width, height: Self.barHeight - 2, bar.colour)
                picture.text(bar.text, x: x + width + 6, y: barTop + 10)
            }
            y += height
        }
        return picture
    }

    private func scaled(_ figure: Double) -> Double {
        isLogarithmic ? log10(max(1, figure)) : figure
    }
}

extension Report {
    /// The drawings that the report has rows for, each with the name of its file.
    public func pictures() -> [(name: String, picture: Picture)] {
        [
            ("bench-goals.svg", goals), ("bench-latency.svg", latency),
            ("bench-growth.svg", growth),
        ].filter { !$0.1.groups.isEmpty }.map { ($0.0, $0.1.picture) }
    }

    /// Every row with a goal: its figure relative to the limit, cut at three times the limit.
    private var goals: BarChart {
        BarChart(
            title:
                "Figures relative to their targets: the line is the target, right of it is better",
            mark: 1,
            groups: results.compactMap { result in
                guard let goal = result.row.goal, let judged = result.judged else { return nil }
                let unit = goal.subject == .ratio ? "x" : " \(result.row.unit)"
                let decimals = goal.subject == .ratio ? 2 : result.row.decimals
                return (
                    result.label,
                    [
                        BarChart.Bar(
                            min(3, goal.score(of: judged)),
                            "\(fixed(judged, decimals))\(unit), target \(goal.text)",
                            goal.isMet(by: judged) ? .own : .missed)
                    ]
                )
            })
    }

    /// The latencies of adds and purchases with those of the peers.
    private var latency: BarChart {
        let groups = results.filter { [.p1, .p3].contains($0.row.number) }.flatMap { result in
            zip(["p50", "p99"], [\Reading.Latency.p50, \.p99]).compactMap {
                name, percentile -> (label: String, bars: [BarChart.Bar])? in
                guard let own = result.middle({ $0.ownLatency?[keyPath: percentile] }) else {
                    return nil
                }
                var bars = [BarChart.Bar(own, "\(fixed(own, 0)) us", .own)]
                if let peer = result.middle({ $0.peerLatency?[keyPath: percentile] }) {
                    bars.append(
                        BarChart.Bar(
                            peer, "\(fixed(peer, 0)) us, \(result.row.peer ?? "peer")", .peer))
                }
                return ("\(result.label), \(name)", bars)
            }
        }
        return BarChart(
            title: "Latency in microseconds, logarithmic", mark: nil, isLogarithmic: true,
            groups: groups)
    }

    /// The rates with a large state and with a small one.
    private var growth: BarChart {
        BarChart(
            title: "Rates a second with a large state, and with a small one", mark: nil,
            groups: results.filter { $0.row.number == .p7 && $0.peer != nil }.map { result in
                let peer = result.peer ?? 0
                return (
                    result.label,
                    [
                        BarChart.Bar(result.own, "\(fixed(result.own, 0)), large", .own),
                        BarChart.Bar(peer, "\(fixed(peer, 0)), small", .peer),
                    ]
                )
            })
    }
}

extension RowResult {
    fileprivate var label: String { "\(row.number.rawValue) \(row.name)" }
}

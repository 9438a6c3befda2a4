import Foundation
import PaymentCore
import PaymentTesting
import Testing

@Suite("The queue and a model of it that was written separately", .ownThreads)
struct ReferenceTests {
    /// One run draws from one seed; the whole number of commands is spread over several.
    private static let commandsPerRun = 25_000
    private static var runs: Int {
        let wanted = ProcessInfo.processInfo.environment["PAYQUEUED_MODEL_COMMANDS"].flatMap(
            Int.init)
        return max(1, (wanted ?? 50_000) / commandsPerRun)
    }

    @Test("They agree in every answer, every event and every state")
    func agreement() throws {
        var table: [ReferenceDriver.Cell: Int] = [:]
        var accepted = 0
        for seed in 1...UInt64(Self.runs) {
            var driver = ReferenceDriver(seed: seed)
            if let difference = driver.run(Self.commandsPerRun) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
            table.merge(driver.table) { $0 + $1 }
            accepted += driver.accepted
        }
        let commands = Self.runs * Self.commandsPerRun
        print("\(commands) commands, \(accepted) changed something")
        print(Self.text(of: table))
        #expect(accepted * 2 >= commands)
        // A hundred times in a million; less often where fewer are drawn.
        let least = commands < 1_000_000 ? max(1, commands / 25_000) : 100
        for cell in Self.legalCells where table[cell, default: 0] < least {
            Issue.record("\(cell) was tried \(table[cell, default: 0]) times only")
        }
    }

    @Test("A planted defect is found", arguments: ReferenceSubject.Defect.allCases)
    func defects(_ defect: ReferenceSubject.Defect) {
        for seed in 1...10 as ClosedRange<UInt64> {
            var driver = ReferenceDriver(seed: seed, defect: defect)
            if driver.run(Self.commandsPerRun) != nil { return }
        }
        Issue.record("nobody noticed \(defect)")
    }

    /// Every command on every stage for every owner that can be. What belongs to nobody waits or was
    /// withdrawn; questions are about what they hold back.
    private static var legalCells: [ReferenceDriver.Cell] {
        ReferenceCommand.targeted.flatMap { command in
            ReferenceModel.Stage.allCases.flatMap { stage in
                ["mine", "other", "nobody"].compactMap { owner in
                    let isQuestion = ["yes", "no", "silence"].contains(command)
                    guard !isQuestion || stage == .gated,
                        owner != "nobody" || stage == .waiting || stage == .gone
                    else { return nil }
                    return ReferenceDriver.Cell(command: command, stage: stage, owner: owner)
                }
            }
        }
    }

    private static func text(of table: [ReferenceDriver.Cell: Int]) -> String {
        let cells = legalCells.sorted {
            ($0.command, $0.stage.rawValue, $0.owner) < ($1.command, $1.stage.rawValue, $1.owner)
        }
        let rows = cells.map {
            let count = "\(table[$0, default: 0])"
            let space = String(repeating: " ", count: max(1, 8 - count.count))
            return "\(space)\(count)  \($0.command) on \($0.stage.rawValue), \($0.owner)"
        }
        return rows.joined(separator: "\n")
    }
}

import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A log of local files")
struct LogRuleTests {
    @Test("keeps the rules of logs", arguments: LogRule.allCases)
    func rule(_ rule: LogRule) throws {
        try rule.check(DiskPlace())
    }
}

/// A log of files on a disk that loses what was not synced.
private final class DiskPlace: LogPlace {
    private var rig = StorageRig()

    func open(_ replay: any LogReplay) throws -> any RecordLog {
        try LocalLog.open(in: rig.stateDirectory(), settings: rig.settings, replay).journal
    }

    func settle() {}

    func kill() {
        rig = StorageRig(world: rig.world.afterPowerCut { false })
    }

    func failNextCommit() {
        rig.world.inject(MemoryDiskFault(.syncData, .fail(errno: 5)))
    }

    func takeOver() throws -> (any RecordLog)? { nil }
}

public import PaymentCore
public import PaymentHistory
public import PaymentStorage

extension HistoryKeyKeeper {
    /// Keeps the keys of a sandbox in its state directory, in `keys/sandbox.json`. The file is made
    /// when something is signed for the first time, never at the start.
    ///
    /// - Parameters:
    ///   - state: The state directory, which this process owns.
    ///   - algorithm: What is signed with.
    ///   - now: Tells the time.
    /// - Returns: The keys; nothing is read or written yet.
    public static func ofSandbox(
        in state: StateDirectory, algorithm: SignatureAlgorithm,
        now: @escaping @Sendable () -> Timestamp
    ) -> HistoryKeyKeeper {
        let file = SecretFile.storeKeys(disk: state.disk, path: state.path)
        return HistoryKeyKeeper(
            algorithm: algorithm, now: now, load: { try file.read(limit: KeyRing.limitBytes) },
            save: { try file.write($0) })
    }
}

extension SecretFile {
    /// The file that a store keeps its keys in, inside of its state directory.
    public static func storeKeys(disk: any Disk, path: String) -> SecretFile {
        SecretFile("sandbox.json", folder: "keys", disk: disk, path: path)
    }
}

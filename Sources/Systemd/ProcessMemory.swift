import CSystemd

/// What others on the machine may see of this process.
public enum ProcessMemory {
    /// Keeps secrets where they are: the kernel writes no core file of this process from now on, and
    /// lets nobody but root attach to it or read its memory and environment. A second call is
    /// harmless; a program that is started from here is on its own.
    ///
    /// - Returns: Whether the kernel agreed.
    @discardableResult
    public static func keepPrivate() -> Bool {
        payqueue_set_dumpable(0) == 0
    }
}

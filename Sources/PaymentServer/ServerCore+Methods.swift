/// The methods: each is in the list of the file that has its handler.
extension ServerCore {
    func registerMethods() {
        registerQueueMethods()
        registerRestoreMethods()
        registerSubscriptionMethods()
        registerSessionMethods()
        registerHistoryMethods()
        registerGateMethods()
        registerDaemonMethods()
        registerStatusMethods()
        registerAdminMethods()
        registerControlMethods()
        registerTestMethods()
    }
}

export interface HttpConfig {
  /**
   * Hosts that may be read although their addresses are not public: names (`data.internal`, whatever they lead to),
   * addresses and networks (`10.1.0.0/16`, `::1`). None when left out: a job must not reach what only this machine can.
   */
  readonly privateHosts?: readonly string[]
  /** Throws where an address may not be asked: before the first request and at every redirect. */
  readonly admit?: (address: string) => void
}

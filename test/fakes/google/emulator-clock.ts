/** The emulator's time. A test moves it on to see tokens and sessions expire. */
export class EmulatorClock {
  #aheadMs = 0

  nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  advance(ms: number): void {
    this.#aheadMs += ms
  }
}

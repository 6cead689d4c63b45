/** The emulator's clock. Tests advance it to let tokens and sessions expire. */
export class EmulatorClock {
  #aheadMs = 0

  nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  advance(ms: number): void {
    this.#aheadMs += ms
  }
}

/**
 * The oracle of the crash test: what a key may contain after the given requests and replies. Pure.
 *
 * A write counts from the moment it was sent. Unacknowledged ones may or may not have happened; an
 * acknowledged one has, and no write that had ended before it was sent may show through it again.
 */
export interface Version {
  /** Sent as x-amz-meta-version. */
  readonly id: string
  /** The bytes are testBytes(seed, size). */
  readonly seed: string
  readonly size: number
  /** Without quotes. */
  readonly etag: string
}

export type Outcome = Version | 'absent'

interface Write {
  readonly outcome: Outcome
  readonly startedAt: number
  endedAt: number
  isAcknowledged: boolean
}

export class KeyHistory {
  #writes: Write[] = [{ outcome: 'absent', startedAt: 0, endedAt: 0, isAcknowledged: true }]
  #clock = 0

  /** A write is about to be sent. */
  begin(outcome: Outcome): PendingWrite {
    const write = { outcome, startedAt: ++this.#clock, endedAt: Infinity, isAcknowledged: false }
    this.#writes.push(write)
    return {
      acknowledge: () => {
        write.isAcknowledged = true
        write.endedAt = ++this.#clock
      },
      fail: () => {
        write.endedAt = ++this.#clock
      },
    }
  }

  /** Every outcome that a correct store may show now. */
  possible(): Outcome[] {
    return this.#shown().map((write) => write.outcome)
  }

  /** A read is about to be sent. Call the result when it has ended, for every outcome that it may show. */
  beginRead(): () => Outcome[] {
    const before = this.#shown()
    const startedAt = ++this.#clock
    return () => {
      const since = this.#writes.filter((write) => write.startedAt > startedAt)
      return [...before, ...since].map((write) => write.outcome)
    }
  }

  /** From now on only the outcome that was found is allowed, and writes that have not ended. */
  settle(outcome: Outcome): void {
    const now = ++this.#clock
    const unended = this.#writes.filter((write) => write.endedAt === Infinity)
    this.#writes = [{ outcome, startedAt: now, endedAt: now, isAcknowledged: true }, ...unended]
  }

  #shown(): Write[] {
    const acknowledged = this.#writes.filter((write) => write.isAcknowledged)
    return this.#writes.filter(
      (write) => !acknowledged.some((later) => later.startedAt > write.endedAt),
    )
  }
}

/** Call exactly one of the two to end it. One that never ends may happen at any time. */
export interface PendingWrite {
  /** @param versionId in a bucket that has versions */
  acknowledge(versionId?: string): void
  /** Refused, or the server was down: it can't happen any more, but may have. */
  fail(): void
}

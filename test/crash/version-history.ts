import type { Outcome, PendingWrite, Version } from './history.ts'

/** A version as a listing and a read of it show it. */
export interface ShownVersion {
  readonly versionId: string
  /** Of x-amz-meta-version; undefined for a delete marker. */
  readonly id: string | undefined
}

interface WrittenVersion {
  readonly outcome: Outcome
  readonly startedAt: number
  endedAt: number
  /** Acknowledged, or seen in a listing. */
  versionId: string | undefined
  removal: 'none' | 'begun' | 'done'
}

/** A version that was acknowledged or seen, and not removed. */
export interface KnownVersion {
  readonly outcome: Outcome
  readonly versionId: string
}

/** Those of the versions before and after one in a listing. */
interface OtherWrites {
  readonly newer: readonly (WrittenVersion | undefined)[]
  /** As far as they are certain. */
  readonly older: readonly (WrittenVersion | undefined)[]
}

const nullId = 'null'

/**
 * The oracle for the versions of a key in a bucket that has versions. Pure.
 *
 * An acknowledged version is there once, until its removal begins. One without a reply may be there, also once. A write that
 * had ended before another one was sent is older. Of the versions `null`, the last one is there.
 */
export class VersionHistory {
  #writes: WrittenVersion[] = []
  #clock = 0

  /** A write is about to be sent. The same version may be written again: a Complete that had no reply. */
  begin(outcome: Outcome): PendingWrite {
    const known = this.#writes.find((one) => outcome !== 'absent' && idOf(one) === outcome.id)
    const write = known ?? {
      ...{ outcome, startedAt: ++this.#clock, versionId: undefined, removal: 'none' },
      endedAt: Infinity,
    }
    if (known === undefined) this.#writes.push(write)
    else known.endedAt = Infinity
    const end = () => {
      write.endedAt = ++this.#clock
    }
    return {
      acknowledge(versionId) {
        // A repeated Complete is answered with the version of the first one.
        write.versionId ??= versionId
        end()
      },
      fail: end,
    }
  }

  /** A version is about to be removed permanently. */
  beginRemoval(versionId: string): PendingWrite {
    const write = this.#writes.findLast((one) => one.versionId === versionId)
    if (write === undefined) throw new Error(`there is no version ${versionId}`)
    write.removal = 'begun'
    return {
      acknowledge() {
        write.removal = 'done'
      },
      fail: () => undefined,
    }
  }

  /** What was written with this x-amz-meta-version. */
  written(id: string): Version | undefined {
    const outcomes = this.#writes.map(({ outcome }) => outcome)
    return outcomes.find((one) => one !== 'absent' && one.id === id) as Version | undefined
  }

  /** Whether every write had a reply that acknowledged it, or was not found later. */
  get isCertain(): boolean {
    return this.#writes.every(({ versionId, removal }) => versionId && removal !== 'begun')
  }

  /** The newest first. */
  known(): KnownVersion[] {
    const lastNull = this.#writes.findLast((one) => one.versionId === nullId)
    return this.#writes
      .flatMap((write) => {
        const { outcome, versionId, removal } = write
        const isReplaced = versionId === nullId && write !== lastNull
        if (versionId === undefined || removal !== 'none' || isReplaced) return []
        return [{ outcome, versionId }]
      })
      .reverse()
  }

  /**
   * What is wrong with the versions that are shown while nothing is written. From now on, those that were not shown are gone.
   *
   * @param shown the newest first
   */
  settle(shown: readonly ShownVersion[]): string[] {
    const found: (WrittenVersion | undefined)[] = []
    const certain = shown.map((version) => this.#certainWriteOf(version))
    for (const [index, version] of shown.entries()) {
      found.push(this.#writeOf(version, { newer: found, older: certain.slice(index + 1) }))
    }
    const problems = shown.flatMap(({ versionId, id }, index) =>
      found[index] === undefined ? [`${versionId} is ${id ?? 'a marker'}, which is wrong`] : [],
    )
    const ids = shown.flatMap(({ id }) => id ?? [])
    if (new Set(ids).size < ids.length) problems.push(`one is there twice: ${ids}`)
    for (const write of this.#writes) {
      if (this.#mustBeThere(write) && !found.includes(write)) {
        problems.push(`${write.versionId} is lost: ${idOf(write) ?? 'a marker'}`)
      }
    }
    for (const [index, newer] of found.entries()) {
      const isWrong = found
        .slice(index + 1)
        .some((older) => newer && older && newer.endedAt < older.startedAt)
      if (!isWrong) continue
      const what = `${shown[index]?.versionId} (${shown[index]?.id ?? 'a marker'})`
      problems.push(`${what} is before versions that were written later`)
    }
    this.#writes = this.#writes.filter((one) => found.includes(one) || one.endedAt === Infinity)
    for (const [index, write] of found.entries()) {
      if (write === undefined) continue
      write.versionId = shown[index]?.versionId
      write.removal = 'none'
    }
    return problems
  }

  /** Undefined for a marker without a reply: others look alike. */
  #certainWriteOf({ versionId, id }: ShownVersion): WrittenVersion | undefined {
    return this.#writes.findLast((one) => {
      return one.versionId === versionId || (id !== undefined && idOf(one) === id)
    })
  }

  #writeOf(
    { versionId, id }: ShownVersion,
    { newer, older }: OtherWrites,
  ): WrittenVersion | undefined {
    const possible = this.#writes.filter(
      (one) =>
        idOf(one) === id &&
        !newer.includes(one) &&
        one.removal !== 'done' &&
        (versionId !== nullId || !this.#isReplacedNull(one)),
    )
    const unknown = possible.filter((one) => one.versionId === undefined)
    // Markers look alike: without a reply, an earlier deletion may have made it, and a later one none.
    // Of those whose order is right, the one that was sent last: the earlier ones may be those of older markers.
    const isInOrder = (one: WrittenVersion) =>
      !newer.some((other) => other !== undefined && other.endedAt < one.startedAt) &&
      !older.some((other) => other !== undefined && one.endedAt < other.startedAt)
    return (
      possible.findLast((one) => one.versionId === versionId) ??
      unknown.findLast(isInOrder) ??
      unknown.at(-1)
    )
  }

  #mustBeThere(write: WrittenVersion): boolean {
    if (write.versionId === undefined || write.removal !== 'none') return false
    if (write.versionId !== nullId) return true
    // Another write, without a reply or at the same time, may have replaced it.
    return !this.#writes.some(
      (one) =>
        one !== write &&
        (one.versionId === nullId || one.versionId === undefined) &&
        one.endedAt > write.startedAt,
    )
  }

  #isReplacedNull(write: WrittenVersion): boolean {
    return this.#writes.some((one) => one.versionId === nullId && one.startedAt > write.endedAt)
  }
}

function idOf({ outcome }: WrittenVersion): string | undefined {
  return outcome === 'absent' ? undefined : outcome.id
}

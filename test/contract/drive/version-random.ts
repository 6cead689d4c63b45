import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { isFull } from '../../support/test-groups.ts'
import type { ByHand, DriveSuite, DriveUnderTest } from './drive-suite.ts'
import { bucket, sortedKeys } from './stored-object.ts'
import { KeyModel } from './version-model.ts'
import type { VersionSwitch } from './version-switch.ts'
import { type Kept, listVersions, VersionedBucket } from './versioned-bucket.ts'

const mostSteps = 40

/** Ordinary paths, so that a hand can change them, and one that ends in a slash. */
const keys = ['k', 'd/k', 'd/l', 'd/'] as const
type Key = (typeof keys)[number]

const gatewaySteps = ['put', 'put', 'mark', 'purge', 'purge', 'restore', 'toggle'] as const
const handSteps = ['edit', 'replace', 'takeAway', 'copyBack'] as const
type StepKind = (typeof gatewaySteps)[number] | (typeof handSteps)[number]

interface Step {
  readonly kind: StepKind
  readonly key: Key
  /** Which version, and which process. */
  readonly pick: number
}

/** Applies steps to a drive and to the model, and compares them. */
class RandomWalk {
  readonly #models = new Map<Key, KeyModel>(keys.map((key) => [key, new KeyModel()]))
  readonly #processes: readonly VersionedBucket[]
  readonly #byHand: ByHand | undefined
  #count = 0
  #lastTimeMs = 0

  private constructor(processes: readonly VersionedBucket[], byHand: ByHand | undefined) {
    this.#processes = processes
    this.#byHand = byHand
  }

  static async begin(suite: DriveSuite, under: DriveUnderTest, versioning: VersionSwitch) {
    const processes = [new VersionedBucket(suite, under, versioning)]
    if (under.reopen !== undefined) {
      const other = { ...under, drive: await under.reopen() }
      processes.push(new VersionedBucket(suite, other, versioning))
    }
    return new RandomWalk(processes, under.byHand)
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#apply(step)
      await this.#check(step.key, step.pick)
    }
    for (const key of keys) await this.#check(key, 0)
    await this.#purgeAll()
  }

  async #apply({ kind, key, pick }: Step): Promise<void> {
    const process = this.#processOf(pick)
    const model = this.#modelOf(key)
    const chosen = model.history[pick % Math.max(model.history.length, 1)]
    const text = `${kind} ${this.#count++} of ${key}`
    switch (kind) {
      case 'toggle':
        return await process.toggle()
      case 'put':
        return model.put(await process.put(key, text))
      case 'mark':
        return await this.#remove(process, key)
      case 'purge':
        if (chosen === undefined) return
        await process.purge(key, chosen)
        return model.purge(chosen)
      case 'restore':
        if (chosen?.text === undefined) return
        return model.put(await process.restore(key, chosen))
      default:
        if (this.#byHand !== undefined && !key.endsWith('/')) {
          await this.#applyByHand(this.#byHand, kind, { key, chosen, text })
        }
    }
  }

  async #remove(process: VersionedBucket, key: Key): Promise<void> {
    const model = this.#modelOf(key)
    if (process.versioning.isEnabled !== undefined) return model.mark(await process.mark(key))
    const removal = await process.drive.remove(bucket, key)
    assert.deepEqual(removal, model.current && {})
    model.remove()
  }

  async #applyByHand(
    byHand: ByHand,
    kind: (typeof handSteps)[number],
    { key, chosen, text }: { key: Key; chosen: Kept | undefined; text: string },
  ): Promise<void> {
    const model = this.#modelOf(key)
    if (kind === 'edit' || kind === 'replace') {
      if (kind === 'replace' && model.current !== undefined) await byHand.remove(key)
      await byHand.put(key, Buffer.from(text))
      await byHand.setTime?.(key, await this.#laterTime())
      model.placeByHand({ versionId: await this.#newestId(key), text, isByHand: true })
    } else if (kind === 'takeAway' && model.current !== undefined) {
      await byHand.remove(key)
      model.removeByHand()
    } else if (kind === 'copyBack' && chosen?.text !== undefined && chosen !== model.current) {
      await byHand.copyVersion?.({ ...chosen, text: chosen.text }, key)
      model.placeByHand({ ...chosen, isCopiedBack: true })
    }
  }

  /** The ID that the drive gives a file placed by hand: a new one, or `null` while versions are not enabled. */
  async #newestId(key: Key): Promise<string> {
    const { drive, versioning } = this.#processOf(0)
    const [entry] = (await listVersions(drive, { prefix: key })).filter((one) => one.key === key)
    const { versionId } = entry?.kind === 'object' ? entry : assert.fail(key)
    assert.equal(versionId === 'null', !versioning.isEnabled)
    const known = this.#modelOf(key).history.map((kept) => kept.versionId)
    if (versionId !== 'null') assert.ok(!known.includes(versionId))
    return versionId
  }

  /** A time that no file has yet: a file system's own clock may stand still for some milliseconds. */
  async #laterTime(): Promise<number> {
    const entries = await listVersions(this.#processOf(0).drive)
    const times = entries.map((entry) => (entry.kind === 'object' ? entry.modifiedAtMs : 0))
    this.#lastTimeMs = Math.max(Date.now(), this.#lastTimeMs + 1, ...times.map((time) => time + 1))
    return this.#lastTimeMs
  }

  async #check(key: Key, pick: number): Promise<void> {
    const { history, isGone } = this.#modelOf(key)
    const process = this.#processOf(pick + 1)
    await process.assertHistory(key, history, isGone)
    const listed = (await listVersions(process.drive, {}, 1 + (pick % 5))).map((entry) => entry.key)
    const expected = keys.flatMap((one) => this.#modelOf(one).history.map(() => one))
    assert.deepEqual(listed, sortedKeys(expected))
  }

  /** Leaves nothing: what is hidden must not come back. */
  async #purgeAll(): Promise<void> {
    const process = this.#processOf(0)
    for (const key of keys) {
      const model = this.#modelOf(key)
      for (const kept of [...model.history]) {
        await process.purge(key, kept)
        model.purge(kept)
      }
    }
    await process.assertHistories({})
    // A folder that a hand has made stays.
    if (this.#byHand === undefined) await process.suite.assertEmpty(process.drive)
  }

  #processOf(pick: number): VersionedBucket {
    return this.#processes[pick % this.#processes.length] ?? assert.fail()
  }

  #modelOf(key: Key): KeyModel {
    return this.#models.get(key) ?? assert.fail()
  }
}

/** A former version `null` is copied back by hand and then replaced: it is still one version. */
const copiedBack: Step[] = (['put', 'toggle', 'put', 'copyBack', 'put'] as const).map((kind) => {
  return { kind, key: 'd/k', pick: 1 }
})
/** Nobody knows how long the version between the oldest one and the newest one was there. */
const copiedBetween: Step[] = (['toggle', 'put', 'put', 'put', 'copyBack', 'put'] as const).map(
  (kind) => ({ kind, key: 'd/k', pick: 4 }),
)

export function versionRandomCases(suite: DriveSuite): void {
  // A drive that cannot be opened again is in memory.
  const [some, all] = suite.can('reopen') ? [5, 50] : [40, 400]
  const kinds = suite.can('byHand') ? [...gatewaySteps, ...handSteps] : gatewaySteps
  const step = fc.record<Step>({
    kind: fc.constantFrom(...kinds),
    key: fc.constantFrom(...keys.filter((key) => suite.beside(keys).includes(key))),
    pick: fc.nat({ max: 1000 }),
  })
  const steps = fc.array(step, { minLength: 1, maxLength: mostSteps, size: 'max' })

  describe('random changes of a bucket', () => {
    suite.itWithVersions('leave the versions that a simple model has', async (_, __, make) => {
      const run = async (chosen: readonly Step[]) => {
        const [under, versioning] = await make()
        await (await RandomWalk.begin(suite, under, versioning)).run(chosen)
      }
      const numRuns = suite.tries(isFull ? all : some)
      await fc.assert(fc.asyncProperty(steps, run), {
        numRuns,
        examples: [[copiedBack], [copiedBetween]],
      })
    })
  })
}

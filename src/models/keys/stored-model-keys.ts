import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RevisionWatch } from '../../platform/state/revision-watch.ts'
import { hashOf, type ModelKey, modelKeyOf, parseModelKey } from './model-key.ts'
import type { ModelKeyTable } from './model-key-table.ts'

interface KnownKey {
  readonly key: ModelKey
  readonly secretHash: string
}

interface StoredModelKeysParts {
  readonly table: Pick<ModelKeyTable, 'all'>
  readonly watch: Pick<RevisionWatch, 'ageMs' | 'isFailing' | 'ensureFresh' | 'check'>
}

/** How long keys stay valid while the database does not answer and so cannot confirm them. */
const maxUnconfirmedMs = 60_000
/** While the database hangs, a request waits for it at most this long. */
const maxWaitMs = 1_000

/** Compared where there is no key, so that the time does not tell which ids exist. */
const decoy = hashOf('decoy')

/** The model keys of the database, as a copy in memory. */
export class StoredModelKeys {
  readonly #parts: StoredModelKeysParts
  #known: ReadonlyMap<string, KnownKey> = new Map()

  constructor(parts: StoredModelKeysParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  readonly has = (keyId: string): boolean => this.#known.has(keyId)

  /** For RevisionWatch. @throws DatabaseError */
  readonly reload = async (): Promise<void> => {
    const rows = await this.#parts.table.all()
    this.#known = new Map(
      rows.map((row) => [row.keyId, { key: modelKeyOf(row), secretHash: row.secretHash }]),
    )
  }

  /** Puts a change of this process in force. @throws DatabaseError */
  refresh(): Promise<void> {
    return this.#parts.watch.check()
  }

  /** The key with this text; undefined if there is none, or if the database has not confirmed it for too long. */
  async find(text: string): Promise<ModelKey | undefined> {
    const given = parseModelKey(text)
    if (given === undefined || !(await this.#isCurrent())) return undefined
    const known = this.#known.get(given.keyId)
    const expected = Buffer.from(known?.secretHash ?? decoy)
    return timingSafeEqual(Buffer.from(hashOf(given.secret)), expected) ? known?.key : undefined
  }

  async #isCurrent(): Promise<boolean> {
    const { watch } = this.#parts
    // It is asked again in the background twice a second.
    const refreshing = watch.isFailing ? undefined : watch.ensureFresh()
    if (refreshing !== undefined) {
      await Promise.race([refreshing, sleep(maxWaitMs, undefined, { ref: false })])
    }
    return watch.ageMs <= maxUnconfirmedMs
  }
}

import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RevisionWatch } from '../../platform/state/revision-watch.ts'
import type { ModelKeyRow, ModelKeyTable } from './model-key-table.ts'

/** The maximum number of model keys: every process has all of them in memory. */
export const maxModelKeys = 1_000

/** Absent: not limited. */
export interface ModelKeyLimits {
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  readonly tokensPerMonth?: number
  /** US dollars. */
  readonly dollarsPerMonth?: number
}

/** What a person sets for a key. */
interface ModelKeyDetails {
  readonly name: string
  /** Ids, or globs with `*`. */
  readonly models: readonly string[]
  readonly limits: ModelKeyLimits
}

/** A key of a client that calls models. */
export interface ModelKey extends ModelKeyDetails {
  readonly keyId: string
  readonly createdAtMs: number
  /** Undefined: never. */
  readonly expiresAtMs: number | undefined
}

/** The key of a row that this version has written. */
export function modelKeyOf({ keyId, json, createdAtMs, expiresAtMs }: ModelKeyRow): ModelKey {
  const { name, models, limits } = JSON.parse(json) as ModelKeyDetails
  const expires = expiresAtMs === 0 ? undefined : expiresAtMs
  return { keyId, name, models, limits, createdAtMs, expiresAtMs: expires }
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567'
const idLength = 12
const secretBytes = 32
const form = /^bmk_([a-z2-7]{12})_([A-Za-z0-9_-]{43})$/

/** A new key: `bmk_ID_SECRET`. */
export function newModelKey() {
  const keyId = Array.from({ length: idLength }, () => letters[randomInt(letters.length)]).join('')
  const secret = randomBytes(secretBytes).toString('base64url')
  return { keyId, secret, text: `bmk_${keyId}_${secret}` }
}

/** Undefined if the text is not a model key. */
export function parseModelKey(text: string) {
  const [, keyId, secret] = form.exec(text) ?? []
  return keyId === undefined || secret === undefined ? undefined : { keyId, secret }
}

export function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/**
 * Whether an id matches a pattern, in which `*` stands for any text. Searches each piece between stars once, in linear
 * time.
 */
export function fitsGlob(id: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return id === pattern
  if (!id.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = id.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return id.length - last.length >= at && id.endsWith(last)
}

/** Whether an id matches one of the patterns of a key. Undefined: the key allows all. */
export function fitsAny(id: string, patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.some((pattern) => fitsGlob(id, pattern))
}

interface KnownKey {
  readonly key: ModelKey
  readonly secretHash: string
}

interface StoredModelKeysParts {
  readonly table: Pick<ModelKeyTable, 'all'>
  readonly watch: Pick<RevisionWatch, 'ageMs' | 'isFailing' | 'ensureFresh'>
  /** Applies changes of this process. @throws DatabaseError */
  readonly refresh: () => Promise<void>
}

/** How long keys stay valid while the database cannot confirm them. */
const maxUnconfirmedMs = 60_000
/** The maximum time that a request waits for a database that hangs. */
const maxWaitMs = 1_000

/** Compared if there is no such key, so that the time does not reveal which ids exist. */
const decoy = hashOf('decoy')

/** A copy in memory of the model keys in the database. */
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

  /** Applies a change made by this process. @throws DatabaseError */
  refresh(): Promise<void> {
    return this.#parts.refresh()
  }

  /** The key with this text; undefined if there is none, or the database has not confirmed it for too long. */
  async find(text: string): Promise<ModelKey | undefined> {
    const given = parseModelKey(text)
    if (given === undefined || !(await this.#isCurrent())) return undefined
    const known = this.#known.get(given.keyId)
    const expected = Buffer.from(known?.secretHash ?? decoy)
    return timingSafeEqual(Buffer.from(hashOf(given.secret)), expected) ? known?.key : undefined
  }

  async #isCurrent(): Promise<boolean> {
    const { watch } = this.#parts
    // A failing database is queried again in the background, twice a second.
    const refreshing = watch.isFailing ? undefined : watch.ensureFresh()
    if (refreshing !== undefined) {
      await Promise.race([refreshing, sleep(maxWaitMs, undefined, { ref: false })])
    }
    return watch.ageMs <= maxUnconfirmedMs
  }
}

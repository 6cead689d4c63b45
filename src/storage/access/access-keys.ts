import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../platform/process/log.ts'
import type { RevisionWatch } from '../../platform/state/revision-watch.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import { type AccessKey, accessKeyOf } from './access-key.ts'
import type { AccessKeyRow, AccessKeyTable, ChangePosition } from './access-key-table.ts'
import { type Identity, type KeyIdentity, owner } from './authorize.ts'

/** The secrets to check a signature with, and the identity that they prove. */
export interface Credential {
  /** A signature with any of these is valid. Two while a secret is being rotated; never empty. */
  readonly secretKeys: readonly string[]
  readonly identity: Identity
  /** Why the key is not valid now. Only for a client that has proved that it knows the secret. */
  readonly refusal?: string
}

/** The access keys that are valid now. */
export interface AccessKeys {
  /** Undefined for an unknown access key. Costs no database call. */
  find(accessKeyId: string): Credential | undefined
  /**
   * Confirms the result of `find` before a request with an access key is trusted. Undefined, at no cost, if it is
   * current; otherwise call `find` again. Resolves with false if keys cannot be confirmed.
   */
  ensureCurrent(): Promise<boolean> | undefined
  /** Records the use of an access key. */
  noteUse(accessKeyId: string): void
}

/** The access key from the settings (ACCESS_KEY and SECRET_KEY). */
export class OwnerKey implements AccessKeys {
  readonly #accessKeyId: string
  readonly #credential: Credential

  constructor({
    accessKey,
    secretKey,
  }: { readonly accessKey: string; readonly secretKey: string }) {
    this.#accessKeyId = accessKey
    this.#credential = { secretKeys: [secretKey], identity: owner }
  }

  find(accessKeyId: string): Credential | undefined {
    return accessKeyId === this.#accessKeyId ? this.#credential : undefined
  }
  /** The settings do not change. */
  ensureCurrent(): undefined {
    return undefined
  }

  noteUse(): void {
    // Only uses of access keys of the database are recorded.
  }
}

/** Rows per read, so that reading does not block the process for long. */
const pageRows = 1_000

/** After this time without a reload, the database may have dropped revoked keys (revokedKeptMs). */
const fullReloadAfterMs = 86_400_000

/** How long keys stay valid while the database cannot confirm them. */
export const maxUnconfirmedMs = 60_000

/** The maximum time that a request waits for a database that hangs. */
const maxWaitMs = 1_000

const markUsedEveryMs = 60_000

const beginning: ChangePosition = { revision: -1, accessKeyId: '' }

interface StoredKeysOptions {
  /** Finds ACCESS_KEY, which is valid in any case. */
  readonly owner: Pick<AccessKeys, 'find'>
  readonly table: Pick<AccessKeyTable, 'changesAfter' | 'markUsed'>
  readonly watch: Pick<RevisionWatch, 'ageMs' | 'isFailing' | 'ensureFresh'>
  readonly sealer: Pick<Sealer, 'open'>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
}

/** A key in memory. Its secrets are opened when it is used for the first time. */
interface KnownKey {
  readonly row: AccessKeyRow
  opened: OpenedKey | undefined
}

interface OpenedKey {
  readonly key: AccessKey
  readonly identity: KeyIdentity
  /** Undefined if it was sealed with another SECRET_KEY. */
  readonly secret: string | undefined
  readonly oldSecret: string | undefined
}

/** ACCESS_KEY and a copy in memory of the access keys in the database, so that a request needs no database call. */
export class StoredKeys implements AccessKeys {
  readonly #options: StoredKeysOptions
  readonly #known = new Map<string, KnownKey>()
  #position = beginning
  #reloadedAtMs = 0
  #uses = new Map<string, number>()
  #usesMarkedAtMs = 0
  #flushing = Promise.resolve()

  constructor(options: StoredKeysOptions) {
    this.#options = options
  }

  /** Loads changed keys. For RevisionWatch. @throws DatabaseError */
  readonly reload = async (current: number, isDoubtful = false): Promise<void> => {
    const nowMs = this.#options.now()
    const isLate = Math.abs(nowMs - this.#reloadedAtMs) > fullReloadAfterMs
    // A revision decreases only if the database was replaced.
    const isFull = isDoubtful || isLate || current < this.#position.revision
    const stale = new Set(isFull ? this.#known.keys() : [])
    let position = isFull ? beginning : this.#position
    for (;;) {
      const rows = await this.#options.table.changesAfter(position, pageRows)
      for (const row of rows) {
        stale.delete(row.accessKeyId)
        this.#apply(row)
      }
      position = rows.at(-1) ?? position
      if (rows.length < pageRows) break
    }
    for (const accessKeyId of stale) this.#known.delete(accessKeyId)
    const { revision, accessKeyId } = position
    this.#position = { revision, accessKeyId }
    this.#reloadedAtMs = nowMs
  }

  find(accessKeyId: string): Credential | undefined {
    const own = this.#options.owner.find(accessKeyId)
    if (own !== undefined) return own
    const known = this.#known.get(accessKeyId)
    return known === undefined ? undefined : this.#credentialOf(known)
  }

  ensureCurrent(): Promise<boolean> | undefined {
    const { watch } = this.#options
    // A failing database is queried again in the background, twice a second.
    if (watch.isFailing) {
      return watch.ageMs <= maxUnconfirmedMs ? undefined : Promise.resolve(false)
    }
    const refreshing = watch.ensureFresh()
    if (refreshing === undefined) return undefined
    const late = sleep(maxWaitMs, undefined, { ref: false })
    return Promise.race([refreshing, late]).then(() => watch.ageMs <= maxUnconfirmedMs)
  }

  /** Records a use. Written to the database once a minute, in the background. */
  noteUse(accessKeyId: string): void {
    const nowMs = this.#options.now()
    this.#uses.set(accessKeyId, nowMs)
    if (Math.abs(nowMs - this.#usesMarkedAtMs) < markUsedEveryMs) return
    this.#usesMarkedAtMs = nowMs
    void this.flushUses()
  }

  /** Writes recorded uses. Never rejects: if writing fails, the next call writes them. */
  flushUses(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flush())
    return this.#flushing
  }

  async #flush(): Promise<void> {
    const uses = this.#uses
    if (uses.size === 0) return
    this.#uses = new Map()
    try {
      await this.#options.table.markUsed(uses)
    } catch {
      // RevisionWatch reports a database that does not answer.
      for (const [id, atMs] of uses) if (!this.#uses.has(id)) this.#uses.set(id, atMs)
    }
  }

  #apply(row: AccessKeyRow): void {
    if (row.revokedAtMs !== 0) this.#known.delete(row.accessKeyId)
    else this.#known.set(row.accessKeyId, { row, opened: undefined })
  }

  #credentialOf(known: KnownKey): Credential | undefined {
    known.opened ??= this.#open(known.row)
    const { key, identity, secret, oldSecret } = known.opened
    const nowMs = this.#options.now()
    const isRotating = key.oldSecretUntilMs !== undefined && nowMs < key.oldSecretUntilMs
    const secretKeys = [secret, isRotating ? oldSecret : undefined].filter(
      (one) => one !== undefined,
    )
    if (secretKeys.length === 0) return undefined
    const refusal = refusalOf(key, nowMs)
    return { secretKeys, identity, ...(refusal && { refusal }) }
  }

  #open(row: AccessKeyRow): OpenedKey {
    const { sealer, log } = this.#options
    const { accessKeyId } = row
    const key = accessKeyOf(row)
    const { name, grants, limits } = key
    const secret = sealer.open(row.secret, accessKeyId)
    const oldSecret = row.oldSecret === '' ? undefined : sealer.open(row.oldSecret, accessKeyId)
    if (secret === undefined) {
      log.warn(
        { accessKey: name, accessKeyId },
        'the secret of an access key was encrypted with another SECRET_KEY: restore SECRET_KEY or rotate the key',
      )
    }
    return { key, identity: { kind: 'key', accessKeyId, name, grants, limits }, secret, oldSecret }
  }
}

function refusalOf({ isDisabled, expiresAtMs }: AccessKey, nowMs: number): string | undefined {
  if (isDisabled) return 'This access key is disabled.'
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return 'This access key has expired.'
  return undefined
}

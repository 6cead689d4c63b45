import { randomBytes, randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Sealer } from '../../platform/state/sealer.ts'
import { type AccessKey, accessKeyOf, detailsText } from './access-key.ts'
import type { AccessKeyFields, AccessKeyRow, AccessKeyTable } from './access-key-table.ts'
import type { KeyLimits } from './authorize.ts'
import { checkKeyInput, type KeyInput } from './key-input.ts'

/** A key does not exist or cannot be changed. The message is user-facing. */
export class KeyAdminError extends Error {
  readonly kind: 'unknown-key' | 'from-file' | 'conflict'

  constructor(kind: KeyAdminError['kind'], message: string) {
    super(message)
    this.name = 'KeyAdminError'
    this.kind = kind
  }
}

/** The fields to change; absent fields stay unchanged. */
export type KeyChange = Partial<KeyInput> & { readonly isDisabled?: boolean }

/** A key with its secret, which is shown only once. */
export interface KeyWithSecret {
  readonly key: AccessKey
  readonly secretKey: string
}

interface KeyAdminOptions {
  readonly table: Pick<AccessKeyTable, 'all' | 'find' | 'edit'>
  readonly sealer: Sealer
  /** ACCESS_KEY. */
  readonly ownerKeyId: string
  readonly isBucketName: (name: string) => boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called after a change, so that it takes effect in this process before the reply. */
  readonly onChange: () => Promise<void>
}

export interface ListedKey {
  readonly key: AccessKey
  /** Why the key cannot be used, as a user-facing message. */
  readonly problem?: string
}

const unreadable =
  'Its secret was encrypted with another SECRET_KEY. Restore SECRET_KEY, or rotate the key.'

/** Decrypting this many secrets takes about 2 ms. */
const listedAtOnce = 100

/** Attempts if other processes change the same key. */
const maxAttempts = 5
/** The secret before a rotation is valid for at most 30 days. */
export const maxKeepOldSeconds = 30 * 86_400

/** Creates and changes access keys, for the management API and the command line. */
export class KeyAdmin {
  readonly #options: KeyAdminOptions

  constructor(options: KeyAdminOptions) {
    this.#options = options
  }

  /** The oldest first. @throws DatabaseError */
  async list(): Promise<ListedKey[]> {
    const rows = await this.#options.table.all()
    const keys: ListedKey[] = []
    for (const row of rows) {
      keys.push(this.#listed(row))
      // Lets the process serve requests in between.
      if (keys.length % listedAtOnce === 0) await setImmediate()
    }
    return keys
  }

  #listed(row: AccessKeyRow): ListedKey {
    const key = accessKeyOf(row)
    const isReadable = this.#options.sealer.open(row.secret, row.accessKeyId) !== undefined
    return isReadable ? { key } : { key, problem: unreadable }
  }

  /**
   * Creates a key. Its secret is returned only here.
   *
   * @throws KeyInputError, DatabaseError
   */
  async create(input: KeyInput): Promise<KeyWithSecret> {
    checkKeyInput(input, this.#options.isBucketName)
    for (;;) {
      const accessKeyId = newAccessKeyId()
      if (accessKeyId === this.#options.ownerKeyId) continue
      const secretKey = newSecretKey()
      const row = {
        accessKeyId,
        secret: this.#options.sealer.seal(secretKey, accessKeyId),
        json: detailsOf({ name: '', note: '', grants: [], limits: {} }, input),
        source: 'created',
        createdAtMs: this.#options.now(),
        expiresAtMs: input.expiresAtMs ?? 0,
      } as const
      if (!(await this.#options.table.edit([{ kind: 'insert', row }]))) continue
      await this.#options.onChange()
      return { key: accessKeyOf({ ...row, ...fresh }), secretKey }
    }
  }

  /** @throws KeyInputError, KeyAdminError, DatabaseError */
  async change(accessKeyId: string, change: KeyChange): Promise<AccessKey> {
    checkKeyInput(change, this.#options.isBucketName)
    const { isDisabled, expiresAtMs } = change
    return await this.#edit(accessKeyId, (row) => ({
      json: detailsOf(accessKeyOf(row), change),
      ...(isDisabled !== undefined && { isDisabled: isDisabled ? 1 : 0 }),
      ...(expiresAtMs !== undefined && { expiresAtMs: expiresAtMs ?? 0 }),
    }))
  }

  /**
   * Replaces the secret. The old one can stay valid for a while.
   *
   * @param keepOldSeconds 0: the old secret is refused at once
   * @throws KeyAdminError, DatabaseError
   */
  async rotate(accessKeyId: string, keepOldSeconds: number): Promise<KeyWithSecret> {
    const secretKey = newSecretKey()
    const secret = this.#options.sealer.seal(secretKey, accessKeyId)
    const oldUntilMs = keepOldSeconds === 0 ? 0 : this.#options.now() + keepOldSeconds * 1_000
    const key = await this.#edit(accessKeyId, (row) => ({
      secret,
      oldSecret: keepOldSeconds === 0 ? '' : row.secret,
      oldUntilMs,
    }))
    return { key, secretKey }
  }

  /** The key is refused from now on. @throws KeyAdminError, DatabaseError */
  async revoke(accessKeyId: string): Promise<void> {
    const revokedAtMs = this.#options.now()
    await this.#edit(accessKeyId, () => ({ revokedAtMs, secret: '', oldSecret: '', oldUntilMs: 0 }))
  }

  async #edit(
    accessKeyId: string,
    fieldsOf: (row: AccessKeyRow) => Partial<AccessKeyFields>,
  ): Promise<AccessKey> {
    const { table, onChange } = this.#options
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const seen = await table.find(accessKeyId)
      if (seen === undefined) {
        throw new KeyAdminError('unknown-key', 'The access key does not exist.')
      }
      if (seen.source === 'file') {
        throw new KeyAdminError(
          'from-file',
          'This access key comes from ACCESS_KEYS_FILE: change it there and restart the gateway.',
        )
      }
      const fields = fieldsOf(seen)
      if (!(await table.edit([{ kind: 'update', seen, fields }]))) continue
      await onChange()
      return accessKeyOf({ ...seen, ...fields })
    }
    throw new KeyAdminError('conflict', 'Other requests are changing this access key. Try again.')
  }
}

/** The other fields of a row that was just inserted. */
const fresh = {
  ...{ oldSecret: '', oldUntilMs: 0, isDisabled: 0, lastUsedAtMs: 0 },
  ...{ revokedAtMs: 0, revision: 0 },
} as const

function detailsOf(
  { name, note, grants, limits }: Pick<AccessKey, 'name' | 'note' | 'grants' | 'limits'>,
  input: Partial<KeyInput>,
): string {
  return detailsText({
    name: input.name?.trim() ?? name,
    note: input.note ?? note,
    grants: input.grants ?? grants,
    limits: withoutNulls({ ...limits, ...input.limits }),
  })
}

function withoutNulls(limits: NonNullable<KeyInput['limits']>): KeyLimits {
  return Object.fromEntries(
    Object.entries(limits).filter(([, value]) => value !== null && value !== undefined),
  )
}

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 20 characters, like the access key IDs of AWS. */
function newAccessKeyId(): string {
  return `BK${Array.from({ length: 18 }, () => idAlphabet[randomInt(idAlphabet.length)]).join('')}`
}

/** 40 characters, like the secret keys of AWS, but without characters that are special in shells and URLs. */
function newSecretKey(): string {
  let text = ''
  while (text.length < 40) text += randomBytes(30).toString('base64').replace(/[+/=]/g, '')
  return text.slice(0, 40)
}

import type { Sealer } from '../../platform/state/sealer.ts'
import { detailsText } from './access-key.ts'
import type { AccessKeyEdit, AccessKeyRow, AccessKeyTable } from './access-key-table.ts'
import type { KeyInput } from './key-input.ts'

/** An access key of the setting ACCESS_KEYS. */
export interface DeclaredKey extends Required<Pick<KeyInput, 'name' | 'note' | 'grants'>> {
  readonly accessKeyId: string
  readonly secretKey: string
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAtMs: number | null
  /** The date that was given without a time: the key expires when it begins. */
  readonly expiryDate?: string
  readonly limits: { readonly requestsPerSecond?: number; readonly bytes?: number }
}

/** An access key of the settings has the ID of a key that was created at run time. */
export class DeclaredKeyError extends Error {
  constructor(accessKeyId: string) {
    super(
      `ACCESS_KEYS contains the access key ${accessKeyId}, which was created at run time: revoke that key, or use another ID`,
    )
    this.name = 'DeclaredKeyError'
  }
}

interface DeclaredKeysOptions {
  readonly table: Pick<AccessKeyTable, 'fromFile' | 'find' | 'edit'>
  readonly sealer: Sealer
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Attempts when another gateway applies the same keys at the same time. */
const maxAttempts = 5

/**
 * Applies the keys of the settings to the database: adds new ones, updates changed ones, and revokes those that are no
 * longer in the settings. Keys that were created at run time stay. Writes nothing if nothing differs.
 *
 * @throws DeclaredKeyError, DatabaseError
 */
export async function applyDeclaredKeys(
  declared: readonly DeclaredKey[],
  options: DeclaredKeysOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const edits = editsFor(declared, await options.table.fromFile(), options)
    if (edits.length === 0 || (await options.table.edit(edits))) return
    await refuseOthers(declared, options)
    if (attempt === maxAttempts) throw new Error('the access keys change too fast')
  }
}

/** @throws DeclaredKeyError if an ID belongs to a key that was created at run time */
async function refuseOthers(
  declared: readonly DeclaredKey[],
  { table }: DeclaredKeysOptions,
): Promise<void> {
  for (const { accessKeyId } of declared) {
    const seen = await table.find(accessKeyId)
    if (seen !== undefined && seen.source !== 'file') throw new DeclaredKeyError(accessKeyId)
  }
}

/** @param rows the keys of the settings in the database */
function editsFor(
  declared: readonly DeclaredKey[],
  rows: readonly AccessKeyRow[],
  { sealer, now }: DeclaredKeysOptions,
): AccessKeyEdit[] {
  const known = new Map(rows.map((row) => [row.accessKeyId, row]))
  const ids = new Set(declared.map(({ accessKeyId }) => accessKeyId))
  const revoked = { revokedAtMs: now(), secret: '', oldSecret: '', oldUntilMs: 0 }
  return [
    ...declared.flatMap((key) => editFor(key, known.get(key.accessKeyId), { sealer, now })),
    ...rows
      .filter(({ accessKeyId }) => !ids.has(accessKeyId))
      .map((seen) => ({ kind: 'update', seen, fields: revoked }) as const),
  ]
}

function editFor(
  key: DeclaredKey,
  seen: AccessKeyRow | undefined,
  { sealer, now }: Pick<DeclaredKeysOptions, 'sealer' | 'now'>,
): AccessKeyEdit[] {
  const { accessKeyId, secretKey } = key
  const fields = { json: detailsText(key), expiresAtMs: key.expiresAtMs ?? 0 }
  if (seen === undefined) {
    const secret = sealer.seal(secretKey, accessKeyId)
    const row = { accessKeyId, secret, ...fields, source: 'file', createdAtMs: now() } as const
    return [{ kind: 'insert', row }]
  }
  const hasSecret = sealer.open(seen.secret, accessKeyId) === secretKey
  if (hasSecret && seen.json === fields.json && seen.expiresAtMs === fields.expiresAtMs) return []
  const secret = hasSecret ? seen.secret : sealer.seal(secretKey, accessKeyId)
  return [{ kind: 'update', seen, fields: { ...fields, secret } }]
}

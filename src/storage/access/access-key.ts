import type { AccessKeyRow, KeySource } from './access-key-table.ts'
import type { Grant, KeyLimits } from './authorize.ts'

/** The details of a key, stored as JSON. */
interface KeyDetails {
  /** A display name. */
  readonly name: string
  readonly note: string
  readonly grants: readonly Grant[]
  readonly limits: KeyLimits
}

/** An access key made at run time, without its secret. */
export interface AccessKey extends KeyDetails {
  readonly accessKeyId: string
  readonly source: KeySource
  readonly isDisabled: boolean
  /** Milliseconds since the epoch, like all times here. */
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly lastUsedAtMs: number | undefined
  /** Until then, the secret before the last rotation is also valid. */
  readonly oldSecretUntilMs: number | undefined
}

/** Pure: the key that a row describes. */
export function accessKeyOf(row: AccessKeyRow): AccessKey {
  const { accessKeyId, source, createdAtMs, json } = row
  const { name, note, grants, limits } = JSON.parse(json) as KeyDetails
  return {
    ...{ accessKeyId, source, createdAtMs, name, note, grants, limits },
    isDisabled: row.isDisabled === 1,
    expiresAtMs: unlessNever(row.expiresAtMs),
    lastUsedAtMs: unlessNever(row.lastUsedAtMs),
    oldSecretUntilMs: unlessNever(row.oldUntilMs),
  }
}

/** Pure: the details as they are stored. */
export function detailsText({ name, note, grants, limits }: KeyDetails): string {
  return JSON.stringify({ name, note, grants, limits } satisfies KeyDetails)
}

function unlessNever(atMs: number): number | undefined {
  return atMs === 0 ? undefined : atMs
}

import { createHash, randomBytes } from 'node:crypto'
import type { Action } from '../../storage/access/authorize.ts'
import type { ShareRow } from './share-table.ts'

export type ShareKind = ShareRow['kind']

/** The fields of a share that the database stores as JSON. */
export interface ShareDetails {
  /** The key of a file, or the prefix of a folder: empty, or ending in a slash. */
  readonly path: string
  /** What is shared of the folder: keys relative to it, those of folders end in a slash. Empty: all of it. */
  readonly items: readonly string[]
  /** For visitors, in place of the name; '': the name. */
  readonly title: string
  /** For the owner. */
  readonly note: string
  /** As `hashPassword` returns it; '': anyone with the address may use the share. */
  readonly passwordHash: string
  /** The maximum bytes of each uploaded file; 0: no limit. */
  readonly maxFileBytes: number
  /** Extensions that uploaded files may have, in lower case, without the dot; empty: any. */
  readonly types: readonly string[]
}

/** A link for people without an account. */
export type Share = Omit<ShareRow, 'json'> & ShareDetails

/** Why a share no longer works. */
export type ShareEnd = 'revoked' | 'expired' | 'used'

/** The path prefix of share addresses, which the token follows. */
export const sharesBase = '/-/s/'

/** The rights that a share needs from its maker. */
export const neededActions: Readonly<Record<ShareKind, readonly Action[]>> = {
  file: ['read'],
  folder: ['list', 'read'],
  // It never replaces a file.
  drop: ['create'],
}

/** Pure: the share that a row describes. Older rows have neither items nor a title. */
export function shareOf({ json, ...row }: ShareRow): Share {
  const details: Partial<ShareDetails> = { items: [], title: '' }
  return { ...row, ...details, ...(JSON.parse(json) as ShareDetails) }
}

/** Pure: the details as they are stored. */
export function detailsText(details: ShareDetails): string {
  const { path, items, title, note, passwordHash, maxFileBytes, types } = details
  const stored: ShareDetails = { path, items, title, note, passwordHash, maxFileBytes, types }
  return JSON.stringify(stored)
}

/** 128 random bits, which cannot be guessed. */
export function newToken(): string {
  return randomBytes(16).toString('base64url')
}

export function newShareId(): string {
  return randomBytes(9).toString('base64url')
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Why the share no longer works; undefined if it works. */
export function endOf(share: Share, nowMs: number): ShareEnd | undefined {
  if (share.revokedAtMs !== 0) return 'revoked'
  if (share.expiresAtMs !== 0 && share.expiresAtMs <= nowMs) return 'expired'
  return isUsedUp(share) ? 'used' : undefined
}

/** Whether the share includes an object or a folder, by its key relative to the shared folder. */
export function includes({ items }: Pick<Share, 'items'>, path: string): boolean {
  return (
    items.length === 0 ||
    items.some((item) => (item.endsWith('/') ? path.startsWith(item) : path === item))
  )
}

/** @param size of a file that is to be uploaded */
export function isUsedUp({ maxUses, uses, maxBytes, bytes }: Share, size = 1): boolean {
  return (maxUses !== 0 && uses >= maxUses) || (maxBytes !== 0 && bytes + size > maxBytes)
}

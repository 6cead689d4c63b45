import { createHash, randomBytes } from 'node:crypto'
import type { Action } from '../../storage/access/authorize.ts'
import type { ShareRow } from './share-table.ts'

export type ShareKind = ShareRow['kind']

/** What the database keeps of a share as JSON. */
export interface ShareDetails {
  /** The key of a file, or the prefix of a folder: empty, or with a slash at its end. */
  readonly path: string
  /** For its owner. */
  readonly note: string
  /** As `hashPassword` returns it; '': everyone with the address may use it. */
  readonly passwordHash: string
  /** Of each uploaded file; 0: any number. */
  readonly maxFileBytes: number
  /** Endings of names that uploaded files may have, in lower case, without the dot; empty: any. */
  readonly types: readonly string[]
}

/** A link for people without an account. */
export type Share = Omit<ShareRow, 'json'> & ShareDetails

/** Why a share does not work any more. */
export type ShareEnd = 'revoked' | 'expired' | 'used'

/** Below it, addresses of shares begin with their tokens. */
export const sharesBase = '/-/s/'

/** The rights that the maker of a share needs for what it does. */
export const neededActions: Readonly<Record<ShareKind, readonly Action[]>> = {
  file: ['read'],
  folder: ['list', 'read'],
  drop: ['write'],
}

/** Pure: the share that a row describes. */
export function shareOf({ json, ...row }: ShareRow): Share {
  return { ...row, ...(JSON.parse(json) as ShareDetails) }
}

/** Pure: the details as they are stored. */
export function detailsText(details: ShareDetails): string {
  const { path, note, passwordHash, maxFileBytes, types } = details
  return JSON.stringify({ path, note, passwordHash, maxFileBytes, types } satisfies ShareDetails)
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

/** Undefined: it works. */
export function endOf(share: Share, nowMs: number): ShareEnd | undefined {
  if (share.revokedAtMs !== 0) return 'revoked'
  if (share.expiresAtMs !== 0 && share.expiresAtMs <= nowMs) return 'expired'
  return isUsedUp(share) ? 'used' : undefined
}

/** @param size of a file that is to be uploaded */
export function isUsedUp({ maxUses, uses, maxBytes, bytes }: Share, size = 1): boolean {
  return (maxUses !== 0 && uses >= maxUses) || (maxBytes !== 0 && bytes + size > maxBytes)
}

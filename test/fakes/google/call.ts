import type { IncomingHttpHeaders } from 'node:http'
import type { Account } from './account.ts'
import type { CallBody } from './call-body.ts'
import type { CallKind } from './call-kinds.ts'
import type { Content } from './content-store.ts'
import type { FileRecord, Owner } from './file-record.ts'

/** One authorised request, with its body unread. */
export interface Call {
  readonly kind: CallKind
  readonly method: string
  /** The id of a file or a drive in the path. */
  readonly id: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** This server's origin, as the client addressed it. */
  readonly origin: string
  readonly body: CallBody
  readonly caller: Owner
  readonly account: Account
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** A body that is not JSON. */
  readonly text?: string
  /** The resulting file, for faults that change it. */
  readonly record?: FileRecord
  /** A piece of a file. */
  readonly content?: { readonly of: Content; readonly start: number; readonly end: number }
}

export type Handler = (call: Call) => Reply | Promise<Reply>

/** Whether a boolean parameter is present and true. */
export function isSet(query: URLSearchParams, name: string): boolean {
  return query.get(name)?.toLowerCase() === 'true'
}

/** Whether the caller supports shared drives. */
export function supportsAllDrives(query: URLSearchParams): boolean {
  return isSet(query, 'supportsAllDrives') || isSet(query, 'supportsTeamDrives')
}

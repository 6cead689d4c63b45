import type { IncomingHttpHeaders } from 'node:http'
import type { Account } from './account.ts'
import type { CallBody } from './call-body.ts'
import type { CallKind } from './call-kinds.ts'
import type { Content } from './content-store.ts'
import type { FileRecord, Owner } from './file-record.ts'

/** One request, authorised and read up to its body. */
export interface Call {
  readonly kind: CallKind
  readonly method: string
  /** The part of the path that names a file or a drive. */
  readonly id: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** As the client named this server. */
  readonly origin: string
  readonly body: CallBody
  readonly caller: Owner
  readonly account: Account
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Not JSON: what stands in the body as it is. */
  readonly text?: string
  /** The file that came of it, for faults that go on from there. */
  readonly record?: FileRecord
  /** A piece of a file. */
  readonly content?: { readonly of: Content; readonly start: number; readonly end: number }
}

export type Handler = (call: Call) => Reply | Promise<Reply>

/** Whether a parameter that is true or false is there and true. */
export function isSet(query: URLSearchParams, name: string): boolean {
  return query.get(name)?.toLowerCase() === 'true'
}

/** Whether the caller is ready for files of shared drives. */
export function supportsAllDrives(query: URLSearchParams): boolean {
  return isSet(query, 'supportsAllDrives') || isSet(query, 'supportsTeamDrives')
}

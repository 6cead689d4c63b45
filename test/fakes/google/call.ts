import type { IncomingHttpHeaders } from 'node:http'
import type { Account } from './account.ts'
import type { CallBody } from './call-body.ts'
import type { Content } from './content-store.ts'
import type { FileRecord, Owner } from './file-record.ts'

/** The kinds of calls, as counters and faults tell them apart, with their cost in quota units. */
export const quotaUnits = {
  token: 0,
  about: 5,
  list: 100,
  get: 5,
  download: 200,
  create: 50,
  update: 50,
  delete: 50,
  copy: 50,
  generateIds: 5,
  /** Metadata and bytes in one request, of a new file or of one that is there. */
  multipart: 50,
  /** Bytes alone in one request. */
  media: 50,
  /** Begins a resumable session. */
  init: 50,
  /** Bytes of a session that are not its last. */
  chunk: 0,
  /** Bytes of a session, to its end. */
  lastChunk: 0,
  /** Asks a session what it holds, or ends it with no bytes. */
  query: 0,
  /** Gives a session up. */
  cancel: 0,
  startPageToken: 5,
  changes: 100,
  drives: 100,
  drive: 5,
} as const

export type CallKind = keyof typeof quotaUnits

export const callKinds = Object.keys(quotaUnits) as readonly CallKind[]

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

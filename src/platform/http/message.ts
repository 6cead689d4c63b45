import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * One request as the protocols see it. Signatures cover the exact bytes of path, query and headers, so these are not
 * normalised (latin1 strings, one character per byte).
 */
export interface HttpRequest {
  /** Random and unique. It is in the reply's x-amz-request-id and in the log line. */
  readonly id: string
  readonly method: string
  /** The request target up to the first `?`, as received. Begins with `/`. */
  readonly rawPath: string
  /** The request target after the first `?`, as received; empty if there is none. */
  readonly rawQuery: string
  /** As node:http parses them, for everything but signatures: names in lower case, most repeated headers joined. */
  readonly headers: IncomingHttpHeaders
  /** Name, value, name, value … as received. */
  readonly rawHeaders: readonly string[]
  /** The body as sent, including the framing of `aws-chunked`. Not read in advance. */
  readonly body: Readable
  /** Whether the connection to us is TLS. */
  readonly isSecure: boolean
  /** Address of the connection's peer, which may be a proxy. */
  readonly remoteAddress: string
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number
  /** Aborts if the client disconnects before the reply is complete. */
  readonly signal: AbortSignal
  /**
   * Declares that the body will be read now: sends `100 Continue` if the client waits for it (RFC 9110 section 10.1.1).
   * Further calls have no effect.
   */
  acceptBody(): void
  /**
   * Whether the sender was authenticated. Bodies of unauthenticated senders have time limits, and their connections are
   * closed first if all are in use.
   */
  readonly isKnown: boolean
  /** Declares that the sender was authenticated. */
  markKnown(): void
  /**
   * Declares that a client which ends its side of the connection has left, so `signal` aborts then. By default, such a
   * client may still wait for the reply. For work that costs money.
   */
  leaveWithClient(): void
}

/** Header fields in the order they are written. Values are latin1 strings without CR or LF. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** A body that is not in memory as a whole. */
export interface StreamBody {
  /** Undefined if it is not known in advance: the body is then sent in chunks (RFC 9112 section 7.1). */
  readonly length: number | undefined
  /**
   * Lends exactly `length` bytes, one chunk at a time; an error or a missing byte closes the connection. The source may
   * reuse a chunk's memory only after the promise of its `borrow` is settled. If `borrow` rejects, `lend` rejects with
   * the same error. Called at most once.
   */
  lend(borrow: (chunk: Uint8Array) => Promise<void>): Promise<void>
  /** Releases the source and ends a `lend` in progress. Called once, whether or not anything was lent. */
  close(): Promise<void>
}

/** What a protocol replies. `reply.ts` writes it to the socket. */
export interface HttpReply {
  readonly status: number
  readonly headers: HeaderFields
  /**
   * Absent: no body. For HEAD, the writer sends the Content-Length of this body without the body; a HEAD reply without
   * a body may set Content-Length itself.
   */
  readonly body?: string | Uint8Array | StreamBody | undefined
  /** Fields of the log line: operation, bucket, key, error code. Never a secret. */
  readonly logFields?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** A reply that is ready, or the promise of one: each promise costs a noticeable part of the time of a small reply. */
export type PendingReply = HttpReply | Promise<HttpReply>

/** A protocol: one request in, one reply out. Never throws: errors are replies. */
export type HttpHandler = (request: HttpRequest) => PendingReply

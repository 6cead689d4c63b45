import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * One request as the protocols see it. Nothing is normalised: signatures cover the exact bytes of
 * the path, the query and repeated headers, so those stay as they came (latin1 strings, one
 * character per byte).
 */
export interface HttpRequest {
  /** Random, unique; answered as x-amz-request-id and part of the log line. */
  readonly id: string
  readonly method: string
  /** The request target up to the first `?`, byte for byte. Always begins with `/`. */
  readonly rawPath: string
  /** The request target after the first `?`, byte for byte; empty when there is none. */
  readonly rawQuery: string
  /** Node's view: lower-case names, most repeats joined. For anything but signatures. */
  readonly headers: IncomingHttpHeaders
  /** Name, value, name, value … as received, for signatures. */
  readonly rawHeaders: readonly string[]
  /** The body as sent, framing of `aws-chunked` included. Not read in advance. */
  readonly body: Readable
  /** Whether the connection to us is TLS. */
  readonly isSecure: boolean
  /** Address of the peer of the connection (no X-Forwarded-For). */
  readonly remoteAddress: string
  /** Wall clock at arrival, milliseconds since the epoch. */
  readonly receivedAtMs: number
  /** Aborts when the client goes away before the reply is complete. */
  readonly signal: AbortSignal
  /**
   * Declares that the body will be read now: sends `100 Continue` when the client waits for one
   * (RFC 9110 section 10.1.1). May be called again without effect.
   */
  acceptBody(): void
  /**
   * Whether its sender was authenticated. Bodies of strangers have limits of time, and their connections are the first to
   * be closed when all are in use.
   */
  readonly isKnown: boolean
  /** Declares that its sender was authenticated. */
  markKnown(): void
  /**
   * Declares that a client which ends its side has left: `signal` aborts then. Otherwise it may still wait for the
   * reply. For work that costs money and that nobody repeats.
   */
  leaveWithClient(): void
}

/** Header fields in the order they are written. Values are latin1 strings without CR or LF. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** A body that is not in memory as a whole. */
export interface StreamBody {
  /** Undefined: known only at its end, so that it is sent in chunks (RFC 9112 section 7.1). */
  readonly length: number | undefined
  /**
   * Lends exactly `length` bytes, one chunk at a time; an error or a shortfall closes the connection.
   * The source may fill a chunk's memory again once the promise of its `borrow` is settled, never
   * before. When `borrow` rejects, `lend` rejects with the same error. Called once at most.
   */
  lend(borrow: (chunk: Uint8Array) => Promise<void>): Promise<void>
  /** Frees the source, and ends a `lend` under way. Called once, whether or not anything was lent. */
  close(): Promise<void>
}

/** What a protocol answers. The only writer to the socket is `reply.ts`. */
export interface HttpReply {
  readonly status: number
  readonly headers: HeaderFields
  /**
   * Absent: no body. For HEAD the writer sends the Content-Length of the body given here, but not
   * the body; a HEAD reply whose length is not that of a body sets Content-Length itself.
   */
  readonly body?: string | Uint8Array | StreamBody | undefined
  /** Fields of the log line: operation, bucket, key, error code. Never a secret. */
  readonly logFields?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** A protocol: one request in, one reply out. Never throws: errors are replies. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpReply>

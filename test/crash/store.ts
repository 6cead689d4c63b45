import { testBucket } from '../support/gateway-process.ts'
import { type Server, type SignedFetch, signedFetch, targetOf } from '../support/signed-fetch.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { KeyHistory, type Outcome, type PendingWrite, type Version } from './history.ts'
import { VersionHistory } from './version-history.ts'

/** An upload that has begun, without an acknowledged Complete. */
export interface OpenUpload {
  readonly key: string
  readonly uploadId: string
  readonly version: Version
  readonly partSizes: readonly number[]
  /** Parts with an acknowledged ETag. */
  acknowledgedParts: number
  /**
   * A Complete without a reply. The gateway may carry it out after its restart, until the client
   * does something else with the key or the upload.
   */
  unanswered: PendingWrite | undefined
}

/** The expected state of the store. Unlike the store's processes, it survives every crash. */
export class BelievedStore {
  readonly histories = new Map<string, KeyHistory>()
  readonly openUploads = new Set<OpenUpload>()
  readonly ignored = new Set<string>()
  /** By key; undefined if the bucket never had versions. */
  versions: Map<string, VersionHistory> | undefined
  readonly #lateMs: number
  #versions = 0

  /** @param lateMs how long a write may still happen after the connection of its client has broken */
  constructor(lateMs = 0) {
    this.#lateMs = lateMs
  }

  history(key: string): KeyHistory {
    const known = this.histories.get(key)
    if (known !== undefined) return known
    const history = new KeyHistory()
    this.histories.set(key, history)
    return history
  }

  versionHistory(key: string): VersionHistory {
    const known = this.versions?.get(key)
    if (known !== undefined) return known
    const history = new VersionHistory()
    this.versions?.set(key, history)
    return history
  }

  /** A write is about to be sent. */
  begin(key: string, outcome: Outcome): PendingWrite {
    const current = this.history(key).begin(outcome)
    const version = this.versionHistory(key).begin(outcome)
    return {
      acknowledge(versionId) {
        current.acknowledge()
        version.acknowledge(versionId)
      },
      fail() {
        current.fail()
        version.fail()
      },
    }
  }

  /** The key is in the bucket, but its state is checked elsewhere. */
  ignore(key: string): void {
    this.ignored.add(key)
  }

  /** A write has no reply that acknowledges it. */
  failed(write: PendingWrite, error: unknown): void {
    // A gateway that was suspended or cut off may have the request.
    if (error instanceof NoReply) return
    if (error instanceof UnexpectedReply || this.#lateMs === 0) write.fail()
    else setTimeout(() => write.fail(), this.#lateMs).unref()
  }

  nextVersion(size: number): Version {
    const id = `version-${++this.#versions}`
    return { id, seed: id, size, etag: md5Of(testBytes(id, size)) }
  }
}

/** A reply that no crash explains. */
export class UnexpectedReply extends Error {
  constructor(what: string, status: number, body: string) {
    super(`${what} answered ${status}: ${body.slice(0, 400)}`)
    this.name = 'UnexpectedReply'
  }
}

/** No reply within the time that clients wait. The request may still be carried out. */
export class NoReply extends Error {
  readonly host: string

  constructor(what: string, host: string) {
    super(`${what} had no reply within ${replyMs / 1000} s`)
    this.name = 'NoReply'
    this.host = host
  }
}

/** How long clients wait for a reply. */
export const replyMs = 60_000

export interface StoreRequest {
  readonly method: string
  readonly key?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** The expected statuses; others are UnexpectedReply. */
  readonly expected?: readonly number[]
}

export interface StoreReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

export async function send(server: Server, request: StoreRequest): Promise<StoreReply> {
  const { method, key, query, headers, body, expected = [200] } = request
  const path = key === undefined ? `/${testBucket}` : targetOf(testBucket, key)
  const target = query === undefined ? path : `${path}?${query}`
  const options = {
    method,
    target,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  }
  const { reply, bytes } = await replyTo(server, options)
  if (!expected.includes(reply.status)) {
    throw new UnexpectedReply(`${method} ${target}`, reply.status, bytes.toString())
  }
  return { status: reply.status, headers: reply.headers, body: bytes }
}

async function replyTo(server: Server, request: SignedFetch) {
  try {
    const reply = await signedFetch(server, { ...request, signal: AbortSignal.timeout(replyMs) })
    return { reply, bytes: Buffer.from(await reply.arrayBuffer()) }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw isLate ? new NoReply(`${request.method} ${request.target}`, server.host) : error
  }
}

/** What is wrong with an object that is read while clients write; undefined for nothing. */
export async function readProblem(
  server: Server,
  { histories }: BelievedStore,
  key: string,
): Promise<string | undefined> {
  const possible = histories.get(key)?.beginRead()
  const reply = await get(server, key)
  const outcomes = possible?.() ?? []
  if (outcomes.some((candidate) => doesMatch(candidate, reply))) return undefined
  return `${key}: read ${describeReply(reply)}, not ${describeAll(outcomes)}`
}

function get(server: Server, key: string): Promise<StoreReply> {
  return send(server, { method: 'GET', key, expected: [200, 404] })
}

/** Differences between the store and its expected state; empty if there are none. */
export async function verifyStore(server: Server, store: BelievedStore): Promise<string[]> {
  const problems: string[] = []
  for (const [key, history] of store.histories) {
    const reply = await get(server, key)
    const possible = history.possible()
    const outcome = possible.find((candidate) => doesMatch(candidate, reply))
    if (outcome !== undefined) history.settle(outcome)
    else problems.push(`${key}: ${describeReply(reply)}, not ${describeAll(possible)}`)
  }
  return problems.length > 0 ? problems : await verifyListing(server, store)
}

async function verifyListing(server: Server, store: BelievedStore): Promise<string[]> {
  const entries = await listedEntries(server)
  const problems = [...entries.keys()]
    .filter((key) => !store.histories.has(key) && !store.ignored.has(key))
    .map((key) => `${key}: listed, but never written`)
  for (const [key, history] of store.histories) {
    const entry = entries.get(key)
    const possible = history.possible()
    const isRight = possible.some((outcome) => isEntryOf(outcome, entry))
    if (!isRight) problems.push(`${key}: listed as ${entry}, not ${describeAll(possible)}`)
  }
  return problems
}

/** The XML of each listed object, by key, from all pages. */
async function listedEntries(server: Server): Promise<Map<string, string>> {
  const entries = new Map<string, string>()
  let query = 'list-type=2'
  for (;;) {
    const { body } = await send(server, { method: 'GET', query })
    const xml = body.toString()
    for (const [, entry = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      entries.set(textOf(entry, 'Key'), entry)
    }
    const next = textOf(xml, 'NextContinuationToken')
    if (next === '') return entries
    query = `list-type=2&continuation-token=${encodeURIComponent(next)}`
  }
}

function isEntryOf(outcome: Outcome, entry: string | undefined): boolean {
  if (outcome === 'absent' || entry === undefined)
    return outcome === 'absent' && entry === undefined
  return (
    textOf(entry, 'Size') === String(outcome.size) && textOf(entry, 'ETag').includes(outcome.etag)
  )
}

export function doesMatch(outcome: Outcome, { status, headers, body }: StoreReply): boolean {
  if (outcome === 'absent') return status === 404
  return (
    status === 200 &&
    headers.get('x-amz-meta-version') === outcome.id &&
    headers.get('content-type') === 'application/x-crash' &&
    headers.get('etag') === `"${outcome.etag}"` &&
    body.equals(testBytes(outcome.seed, outcome.size))
  )
}

function describeAll(outcomes: readonly Outcome[]): string {
  const names = outcomes.map((outcome) =>
    outcome === 'absent' ? outcome : `${outcome.id} (${outcome.size} bytes, ${outcome.etag})`,
  )
  return names.join(' or ')
}

export function describeReply({ status, headers, body }: StoreReply): string {
  if (status === 404) return 'absent'
  const facts = ['x-amz-meta-version', 'content-type', 'etag'].map((name) => headers.get(name))
  return `${status} ${facts.join(' ')} with ${body.length} bytes of MD5 ${md5Of(body)}`
}

/** The version that a write has made. */
export function versionIn({ headers }: StoreReply): string | undefined {
  return headers.get('x-amz-version-id') ?? undefined
}

/** Text of the first element of this name. Keys of the test need no unescaping. */
export function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? ''
}

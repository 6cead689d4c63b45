import { testBucket } from '../support/gateway-process.ts'
import { type Server, signedFetch, targetOf } from '../support/signed-fetch.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { KeyHistory, type Outcome, type Version } from './history.ts'

/** An upload that has begun and of which Complete was not acknowledged. */
export interface OpenUpload {
  readonly key: string
  readonly uploadId: string
  readonly version: Version
  readonly partSizes: readonly number[]
  /** Parts whose ETag was answered. */
  acknowledgedParts: number
}

/** What the test believes of the store: survives every crash, unlike the store's processes. */
export class BelievedStore {
  readonly histories = new Map<string, KeyHistory>()
  readonly openUploads = new Set<OpenUpload>()
  #versions = 0

  history(key: string): KeyHistory {
    const known = this.histories.get(key)
    if (known !== undefined) return known
    const history = new KeyHistory()
    this.histories.set(key, history)
    return history
  }

  nextVersion(size: number): Version {
    const id = `version-${++this.#versions}`
    return { id, seed: id, size, etag: md5Of(testBytes(id, size)) }
  }
}

/** An answer that no crash explains. */
export class UnexpectedReply extends Error {
  constructor(what: string, status: number, body: string) {
    super(`${what} answered ${status}: ${body.slice(0, 400)}`)
    this.name = 'UnexpectedReply'
  }
}

export interface StoreRequest {
  readonly method: string
  readonly key?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Statuses that are an answer; others are UnexpectedReply. */
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
  const reply = await signedFetch(server, options)
  const bytes = Buffer.from(await reply.arrayBuffer())
  if (!expected.includes(reply.status)) {
    throw new UnexpectedReply(`${method} ${target}`, reply.status, bytes.toString())
  }
  return { status: reply.status, headers: reply.headers, body: bytes }
}

/** Differences between what the store shows and what it may show. Empty: all is well. */
export async function verifyStore(server: Server, store: BelievedStore): Promise<string[]> {
  const problems: string[] = []
  const found = new Map<string, Version>()
  for (const [key, history] of store.histories) {
    const reply = await send(server, { method: 'GET', key, expected: [200, 404] })
    const possible = history.possible()
    const outcome = possible.find((candidate) => doesMatch(candidate, reply))
    if (outcome === undefined) {
      problems.push(
        `${key}: ${describeReply(reply)}, not one of ${possible.map(describe).join(', ')}`,
      )
      continue
    }
    history.settle(outcome)
    if (outcome !== 'absent') found.set(key, outcome)
  }
  return problems.length > 0 ? problems : await verifyListing(server, found)
}

async function verifyListing(
  server: Server,
  found: ReadonlyMap<string, Version>,
): Promise<string[]> {
  const { body } = await send(server, { method: 'GET', query: 'list-type=2' })
  const entries = [...body.toString().matchAll(/<Contents>(.*?)<\/Contents>/gs)]
  const listed = new Map(entries.map(([, entry = '']) => [textOf(entry, 'Key'), entry]))
  const unexpected = [...listed.keys()].filter((key) => !found.has(key))
  const problems = unexpected.map((key) => `${key}: listed, but not there`)
  for (const [key, { size, etag }] of found) {
    const entry = listed.get(key)
    if (entry === undefined) problems.push(`${key}: there, but not listed`)
    else if (textOf(entry, 'Size') !== String(size) || !textOf(entry, 'ETag').includes(etag)) {
      problems.push(`${key}: listed as ${entry}, expected ${size} bytes of ${etag}`)
    }
  }
  return problems
}

function doesMatch(outcome: Outcome, { status, headers, body }: StoreReply): boolean {
  if (outcome === 'absent') return status === 404
  return (
    status === 200 &&
    headers.get('x-amz-meta-version') === outcome.id &&
    headers.get('content-type') === 'application/x-crash' &&
    headers.get('etag') === `"${outcome.etag}"` &&
    body.equals(testBytes(outcome.seed, outcome.size))
  )
}

function describe(outcome: Outcome): string {
  if (outcome === 'absent') return 'absent'
  return `${outcome.id} (${outcome.size} bytes, ${outcome.etag})`
}

function describeReply({ status, headers, body }: StoreReply): string {
  if (status === 404) return 'absent'
  const facts = ['x-amz-meta-version', 'content-type', 'etag'].map((name) => headers.get(name))
  return `${status} ${facts.join(' ')} with ${body.length} bytes of MD5 ${md5Of(body)}`
}

/** Text of the first element of this name. Keys of the test need no unescaping. */
export function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? ''
}

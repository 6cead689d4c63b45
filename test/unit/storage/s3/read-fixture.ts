import assert from 'node:assert/strict'
import type { HttpReply } from '../../../../src/platform/http/message.ts'
import { compareKeys } from '../../../../src/platform/text/key-order.ts'
import { anonymous, owner } from '../../../../src/storage/access/authorize.ts'
import type { Attributes } from '../../../../src/storage/drives/attributes.ts'
import type {
  Drive,
  OpenObject,
  OpenOptions,
  ReadPriority,
} from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import type { Entry, EntryCursor, ListQuery } from '../../../../src/storage/drives/listed-entry.ts'
import { parseQuery } from '../../../../src/storage/s3/address/query.ts'
import type { ObjectContext } from '../../../../src/storage/s3/context.ts'
import { S3Error, type S3ErrorCode } from '../../../../src/storage/s3/errors.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { readStreamBody } from '../../../support/stream-body.ts'
import { fakeRequest } from './fake-request.ts'
import { serviceFor } from './service-for.ts'

/** 1 January 2025, 12:00:00.250 UTC: when every object of these tests was changed. */
export const modifiedAtMs = Date.UTC(2025, 0, 1, 12, 0, 0, 250)
export const lastModified = 'Wed, 01 Jan 2025 12:00:00 GMT'

export interface FakeObject {
  readonly bytes: Uint8Array
  readonly attributes: Attributes
}

export function fakeObject(text: string, attributes: Partial<Attributes> = {}): FakeObject {
  const bytes = Buffer.from(text)
  return { bytes, attributes: { etag: 'abc', headers: {}, metadata: {}, ...attributes } }
}

/** The reading half of a drive, backed by a map, which counts open objects. */
export class FakeDrive {
  readonly objects: ReadonlyMap<string, FakeObject>
  /** Objects opened and not closed yet. */
  openCount = 0
  /** Objects opened so far. */
  opened = 0
  /** Of the last object that was opened. */
  priority: ReadPriority | undefined
  /** Set: reading fails after this many bytes. */
  failsAfterBytes = Number.POSITIVE_INFINITY

  constructor(objects: Readonly<Record<string, FakeObject>>) {
    this.objects = new Map(Object.entries(objects))
  }

  async bucketCreatedAtMs(): Promise<number> {
    return modifiedAtMs
  }

  async head(_bucket: string, key: string) {
    const object = this.objects.get(key)
    if (object === undefined) return undefined
    return { size: object.bytes.length, modifiedAtMs, attributes: object.attributes }
  }

  async open(
    bucket: string,
    key: string,
    { priority }: OpenOptions = {},
  ): Promise<OpenObject | undefined> {
    this.priority = priority
    const metadata = await this.head(bucket, key)
    const bytes = this.objects.get(key)?.bytes
    if (metadata === undefined || bytes === undefined) return undefined
    this.openCount++
    this.opened++
    let isOpen = true
    return {
      ...metadata,
      read: (start, end) => this.#read(bytes.subarray(start, end)),
      close: async () => {
        if (isOpen) this.openCount--
        isOpen = false
      },
    }
  }

  async *#read(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1000) {
      if (at >= this.failsAfterBytes) throw new DriveError('changed', 'the file is shorter now')
      yield bytes.subarray(at, at + 1000)
    }
  }

  list(_bucket: string, query: ListQuery): EntryCursor {
    return new SortedCursor(entriesOf(this.objects, query))
  }
}

/** A cursor over entries in memory. */
export class SortedCursor implements EntryCursor {
  readonly #entries: readonly Entry[]
  #index = 0
  /** Entries returned: the cost of a listing. */
  entriesRead = 0

  constructor(entries: readonly Entry[]) {
    this.#entries = entries
  }

  async next(limit: number): Promise<Entry[]> {
    assert.ok(limit > 0, `a limit of at least 1, got ${limit}`)
    const entries = this.#entries.slice(this.#index, this.#index + limit)
    this.#index += entries.length
    this.entriesRead += entries.length
    return entries
  }

  seek(key: string): void {
    while (this.#isBefore(key)) this.#index++
  }

  #isBefore(key: string): boolean {
    const entry = this.#entries[this.#index]
    return entry !== undefined && compareKeys(entry.key, key) < 0
  }
}

/** Implements Drive.list over a map. */
export function entriesOf(objects: ReadonlyMap<string, FakeObject>, query: ListQuery): Entry[] {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.prefix)).sort(compareKeys)
  const entries = new Map<string, Entry>()
  for (const key of keys) {
    if (compareKeys(key, query.after) <= 0) continue
    const slash = query.delimiter === undefined ? -1 : key.indexOf('/', query.prefix.length)
    const folder = key.slice(0, slash + 1)
    if (slash < 0) entries.set(key, objectEntry(key, objects))
    else if (folder !== query.after) entries.set(folder, { kind: 'folder', key: folder })
  }
  return [...entries.values()]
}

function objectEntry(key: string, objects: ReadonlyMap<string, FakeObject>): Entry {
  const object = objects.get(key)
  assert.ok(object)
  const { etag } = object.attributes
  return { kind: 'object', key, size: object.bytes.length, modifiedAtMs, etag }
}

export interface FakeRequest {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly isSigned?: boolean
  readonly key?: string
  readonly region?: string
  /** Whether bucket `b` is one of PUBLIC_READ_BUCKETS. */
  readonly isPublic?: boolean
  readonly signal?: AbortSignal
}

/** A context as the handler creates it, for bucket `b`. */
export function contextOf(drive: FakeDrive, request: FakeRequest = {}): ObjectContext {
  const { query = '', headers = {}, isSigned = true, key = 'k', region = 'us-east-1' } = request
  const isPublic = request.isPublic === true
  const signal = request.signal ?? new AbortController().signal
  return {
    service: serviceFor({
      drive: drive as unknown as Drive,
      settings: { region },
      buckets: servedBuckets(['b', 'archive'], isPublic ? ['b'] : []),
      now: () => modifiedAtMs,
    }),
    request: { ...fakeRequest({ target: `/b/k?${query}`, headers }), signal },
    query: parseQuery(query),
    identity: isSigned ? owner : anonymous,
    bucket: 'b',
    configuration: { name: 'b', isPublic },
    key,
  }
}

export function headersOf(reply: HttpReply): Record<string, string> {
  const names = reply.headers.map(([name]) => name.toLowerCase())
  assert.equal(new Set(names).size, names.length, 'no header twice')
  return Object.fromEntries(reply.headers.map(([name, value]) => [name.toLowerCase(), value]))
}

export async function bodyOf(reply: HttpReply): Promise<string> {
  const { body } = reply
  if (body === undefined) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  const bytes = await readStreamBody(body)
  assert.equal(bytes.length, body.length, 'the declared length')
  return bytes.toString()
}

/** For assert.rejects and assert.throws. */
export function isS3Error(code: S3ErrorCode, elements: Record<string, string> = {}) {
  return (error: unknown): true => {
    assert.ok(error instanceof S3Error, String(error))
    assert.equal(error.code, code)
    assert.deepEqual({ ...error.elements, ...elements }, error.elements)
    return true
  }
}

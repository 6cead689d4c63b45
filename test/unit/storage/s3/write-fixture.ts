import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import type { HttpReply } from '../../../../src/platform/http/message.ts'
import type { Log } from '../../../../src/platform/process/log.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import { owner } from '../../../../src/storage/access/authorize.ts'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import {
  type MemoryDrive,
  openMemoryDrive,
} from '../../../../src/storage/drives/memory/memory-drive.ts'
import { parseQuery } from '../../../../src/storage/s3/address/query.ts'
import type { ObjectContext, Operation, S3Service } from '../../../../src/storage/s3/context.ts'
import type { CompletionRequest } from '../../../../src/storage/s3/multipart/completion.ts'
import type { PartSource } from '../../../../src/storage/s3/multipart/early-part.ts'
import type { UploadName } from '../../../../src/storage/s3/multipart/upload-records.ts'
import { UploadTable } from '../../../../src/storage/s3/multipart/upload-table.ts'
import { Uploads } from '../../../../src/storage/s3/multipart/uploads.ts'
import { silentLog } from '../../../support/silent-log.ts'
import { fakeRequest } from './fake-request.ts'
import { serviceFor } from './service-for.ts'

export const target = { bucket: 'b', key: 'k' }
const noDetails = { headers: {}, metadata: {} }
export const never = new AbortController().signal

/** A running clock that can be set forward. */
export class TestClock {
  #aheadMs = 0

  readonly now = (): number => Date.now() + this.#aheadMs

  advance(ms: number): void {
    this.#aheadMs += ms
  }
}

export interface World {
  readonly drive: MemoryDrive
  readonly database: Database
  readonly table: UploadTable
  readonly clock: TestClock
  readonly log: Log
  /** Fields of the logged warnings and errors. */
  readonly complaints: unknown[]
  /** Uploads as in another process, which shares only the drive and the database. */
  worker(options?: WorkerOptions): Uploads
}

interface WorkerOptions {
  readonly drive?: Drive
  readonly table?: UploadTable
  readonly partWaitMs?: number
}

/** A memory drive with the buckets `b` and `other`, and a database in a temporary folder. */
export async function makeWorld(t: TestContext): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-uploads-'))
  const database = await openDatabase(
    { kind: 'sqlite', path: join(folder, 'state.db') },
    { migrate: true },
  )
  const clock = new TestClock()
  const drive = openMemoryDrive({ now: clock.now })
  await drive.prepare(['b', 'other'])
  const table = new UploadTable(database)
  const complaints: unknown[] = []
  const log = {
    ...silentLog,
    warn: (fields: object) => void complaints.push(fields),
    error: (fields: object) => void complaints.push(fields),
  }
  const workers: Uploads[] = []
  t.after(async () => {
    for (const worker of workers) await worker.idle()
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const worker = (options: WorkerOptions = {}): Uploads => {
    const uploads = new Uploads({
      drive: options.drive ?? drive,
      table: options.table ?? table,
      partWaitMs: options.partWaitMs ?? 5_000,
      expiryMs: 24 * 3_600_000,
      now: clock.now,
      log,
    })
    workers.push(uploads)
    return uploads
  }
  return { drive, database, table, clock, log, complaints, worker }
}

export function md5(bytes: Uint8Array | string): string {
  return createHash('md5').update(bytes).digest('hex')
}

export function etagOfParts(parts: readonly (Uint8Array | string)[]): string {
  const hash = createHash('md5')
  for (const part of parts) hash.update(md5(part), 'hex')
  return `${hash.digest('hex')}-${parts.length}`
}

/** A part with its bytes in memory. */
export function partOf(bytes: string | Uint8Array, signal: AbortSignal = never): PartSource {
  const chunk = Buffer.from(bytes)
  return {
    size: chunk.length,
    signal,
    pour: async (sink) => {
      if (chunk.length > 0) await sink.write(chunk)
      return { size: chunk.length, md5Hex: md5(chunk) }
    },
  }
}

/** A part that has begun when `started` resolves and ends after `proceed` or `fail`. */
export function slowPart(bytes: string) {
  const started = Promise.withResolvers<void>()
  const proceed = Promise.withResolvers<void>()
  const source: PartSource = {
    signal: never,
    pour: async (sink) => {
      const chunk = Buffer.from(bytes)
      const half = chunk.length >> 1
      await sink.write(chunk.subarray(0, half))
      started.resolve()
      await proceed.promise
      await sink.write(chunk.subarray(half))
      return { size: chunk.length, md5Hex: md5(chunk) }
    },
  }
  return { source, started: started.promise, proceed: proceed.resolve, fail: proceed.reject }
}

export async function begin(uploads: Uploads): Promise<UploadName> {
  return { ...target, uploadId: await uploads.create(target, noDetails) }
}

/** A completion list of parts with these bytes. */
export function listOf(parts: readonly string[]): CompletionRequest {
  return {
    parts: parts.map((bytes, index) => ({ number: index + 1, etag: md5(bytes), checksums: [] })),
  }
}

/** The bytes of an object as text; undefined when there is none. */
export async function textOf(drive: Drive, key = 'k', bucket = 'b'): Promise<string | undefined> {
  const object = await drive.open(bucket, key)
  if (object === undefined) return undefined
  const chunks: Uint8Array[] = []
  if (object.size > 0) for await (const chunk of object.read(0, object.size)) chunks.push(chunk)
  await object.close()
  return Buffer.concat(chunks).toString()
}

export interface WriteRequest {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array | Readable
  readonly bucket?: string
  readonly key?: string
}

/** Runs an operation as the handler does. */
export class OperationRunner {
  readonly service: S3Service
  /** Whether the last request's body was accepted. */
  wasBodyAccepted = false

  constructor(world: World, uploads: Uploads = world.worker()) {
    const log = {
      ...silentLog,
      warn: (fields: object) => void world.complaints.push(fields),
      error: (fields: object) => void world.complaints.push(fields),
    }
    this.service = serviceFor({ drive: world.drive, uploads, now: world.clock.now, log })
  }

  async run(operation: Operation<ObjectContext>, request: WriteRequest = {}): Promise<HttpReply> {
    const { query = '', headers = {}, body = '', bucket = 'b', key = 'k' } = request
    this.wasBodyAccepted = false
    const isStream = body instanceof Readable
    const length = isStream ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    return operation({
      service: this.service,
      request: fakeRequest({
        method: 'PUT',
        target: `/${bucket}/${encodeURIComponent(key)}?${query}`,
        headers: { host: 'example.test:9000', ...length, ...headers },
        body: isStream ? body : body.length === 0 ? [] : [Buffer.from(body)],
        acceptBody: () => {
          this.wasBodyAccepted = true
        },
      }),
      query: parseQuery(query),
      identity: owner,
      bucket,
      configuration: { name: bucket, isPublic: false },
      key,
    })
  }
}

/** The text of the first element of this name in a reply's document. */
export function elementOf(reply: HttpReply, name: string): string | undefined {
  assert.equal(typeof reply.body, 'string')
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(String(reply.body))?.[1]
}

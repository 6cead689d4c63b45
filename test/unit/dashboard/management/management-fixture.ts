import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MarkTable } from '../../../../src/dashboard/management/files/mark-table.ts'
import { FolderRevisions } from '../../../../src/dashboard/management/folders/folder-revisions.ts'
import { managementApi } from '../../../../src/dashboard/management/management-api.ts'
import type { ManagementApiParts } from '../../../../src/dashboard/management/management-parts.ts'
import { ThumbnailTable } from '../../../../src/dashboard/thumbnails/thumbnail-table.ts'
import { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import type { Route } from '../../../../src/platform/json-api/route.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { DatabaseKeyValueStore } from '../../../../src/platform/state/key-value/database-key-value.ts'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import { openArchive } from '../../../../src/storage/archive/object-archive.ts'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { DatabaseLeases } from '../../../../src/storage/drives/kit/key-lease-table.ts'
import { KeyLeases } from '../../../../src/storage/drives/kit/key-leases.ts'
import {
  type MemoryDrive,
  openMemoryDrive,
} from '../../../../src/storage/drives/memory/memory-drive.ts'
import { BucketCounts } from '../../../../src/storage/jobs/bucket-counts.ts'
import { dryRunExpiry } from '../../../../src/storage/jobs/expiry/expired-objects.ts'
import { FileJobs } from '../../../../src/storage/jobs/files/file-jobs.ts'
import { openFolderCounts } from '../../../../src/storage/jobs/folder-counts.ts'
import { JobRunner } from '../../../../src/storage/jobs/job-runner.ts'
import { JobTable } from '../../../../src/storage/jobs/job-table.ts'
import { DeletionTable } from '../../../../src/storage/jobs/trash/deletion-table.ts'
import { search } from '../../../../src/storage/search/search.ts'
import { jsonSender } from '../../../support/json-sender.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { silentLog } from '../../../support/silent-log.ts'

export const session = { authorization: 'Bearer let me in' }
const buckets = ['files', 'public'] as const

/** A test, or whoever else has an end. */
export interface Ending {
  after(end: () => unknown): void
}

export interface ManagementFixture {
  readonly routes: readonly Route[]
  readonly drive: MemoryDrive
  readonly database: Database
  readonly counter: BucketCounts
  readonly fileJobs: FileJobs
  readonly presigned: Parameters<ManagementApiParts['presign']>[0][]
  /** A path below /-/api, with a session by default. */
  send(
    method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came.
  readonly body: any
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

export async function openTestDatabase(t: Ending): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-management-'))
  const path = join(folder, 'bucketry.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  t.after(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })
  return database
}

export async function put(
  drive: Drive,
  key: string,
  text: string | Buffer = '',
  bucket = 'files',
): Promise<void> {
  const draft = await drive.draft(bucket, key, {})
  await draft.write(typeof text === 'string' ? Buffer.from(text) : text)
  await draft.publish({ etag: 'e', headers: {}, metadata: {} })
}

export async function keysOf(drive: Drive, bucket = 'files'): Promise<string[]> {
  const keys: string[] = []
  const cursor = drive.list(bucket, { prefix: '', after: '' })
  for (;;) {
    const entries = await cursor.next(1_000)
    if (entries.length === 0) return keys
    keys.push(...entries.map(({ key }) => key))
  }
}

/** Access keys are tested through the whole gateway (test/acceptance/access-keys.test.ts). */
const unusedKeys = {} as ManagementApiParts['keys']

/** The management API on a memory drive and a new database. */
export async function openManagement(
  t: Ending,
  changes: Partial<ManagementApiParts> = {},
): Promise<ManagementFixture> {
  const database = await openTestDatabase(t)
  const drive = openMemoryDrive()
  await drive.prepare(buckets)
  const common = { drive, hasVersions: () => false, now: Date.now, log: silentLog }
  const leases = new KeyLeases({ table: new DatabaseLeases(database, '/jobs'), now: Date.now })
  const table = new JobTable(database)
  const jobs = new JobRunner({ ...common, table, leases })
  const counter = new BucketCounts({ ...common, jobs })
  const deletions = new DeletionTable(database)
  const marks = new MarkTable(database)
  const fileJobs = new FileJobs({
    ...{ ...common, table, deletions },
    onMoved: ({ bucket, paths, to }) => marks.follow(bucket, paths, to),
    drive: { ...drive, ...changes.drive },
    keepsRemoved: () => false,
    hasTrash: () => true,
    lockRules: async () => undefined,
    newLock: async () => ({}),
    withinRoom: (_bucket, _bytes, work) => work(),
    jobs,
  })
  const presigned: ManagementFixture['presigned'] = []
  const routes = managementApi({
    buckets: servedBuckets(buckets, ['public']),
    databaseNow: Date.now,
    trash: {
      ...{ days: 30, drive },
      has: () => true,
    },
    ...{ deletions, marks },
    bucketOptions: { change: async () => undefined },
    bucketMaker: { create: async () => undefined, remove: async () => undefined },
    bucketCreation: 'off' as const,
    keepsDocuments: false,
    websiteHostOf: () => undefined,
    eventTargets: ['redis'],
    settingGroups: [{ name: 'Storage', settings: [{ name: 'DRIVE', meaning: 'Where.' }] }],
    versioning: { refusal: () => undefined, change: async () => undefined },
    publicReadBuckets: ['public'],
    expiryRuns: async () => [],
    dryRunExpiry: (query) => dryRunExpiry(common, query),
    bucketCreatedAtMs: (bucket: string) => drive.bucketCreatedAtMs(bucket),
    keys: unusedKeys,
    placeOf: () => ({ drive: 'default', isReadOnly: false }),
    counter,
    folderCounts: openFolderCounts({ ...common, jobs }),
    fileJobs,
    search: (query) => search({ ...query, drive }),
    openArchive: (request) => openArchive({ ...request, drive }),
    store: new DatabaseKeyValueStore(database, Date.now),
    drive,
    thumbnails: new ThumbnailTable(database, 3),
    folders: new FolderRevisions({ drive, now: () => performance.now() }),
    region: 'us-east-1',
    accessKey: 'AKIATEST',
    hasPublicUrl: false,
    originOf: ({ headers }) => (headers.host === 'bad' ? undefined : `http://${headers.host}`),
    presign: (request) => {
      presigned.push(request)
      return `${request.origin}${request.path}?signed`
    },
    uploads: { list: async () => ({ uploads: [], next: null }), abort: async () => false },
    activity: { page: async () => [], clear: async () => undefined },
    traffic: async () => ({ fromMs: 0, rows: [] }),
    status: async () => ({
      version: '1.2.3',
      uptimeSeconds: 5,
      drive: {
        ...{ kind: drive.kind, deletes: drive.deletes, problem: null },
        ...{ freeBytes: null, totalBytes: null },
      },
      drives: [],
      settings: [],
    }),
    now: () => 1_700_000_000_999,
    session: {
      admit({ headers }) {
        if (headers.authorization !== session.authorization) throw new ApiError(401, 'Sign in.')
      },
    },
    ...changes,
  })
  const sender = jsonSender(routes)
  t.after(() => Promise.all([jobs.close(), counter.close()]))
  return {
    ...{ routes, drive, database, counter, fileJobs, presigned },
    async send(method, path, body, headers = {}) {
      const answer = await sender.send({
        method,
        url: `/-/api${path}`,
        headers: {
          ...session,
          ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      const { text } = answer
      const isLines = answer.headers['content-type'] === 'application/x-ndjson'
      const isJson = text !== '' && method !== 'HEAD' && !isLines
      return {
        status: answer.status,
        body: isJson ? JSON.parse(text) : undefined,
        text,
        headers: answer.headers,
      }
    },
  }
}

/** Resolves when it holds; fails after 10 s. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadlineMs = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error('it did not come true in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

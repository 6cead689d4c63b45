import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { parseServiceAccount } from '../../../../../../src/storage/drives/google/api/credentials.ts'
import {
  GoogleApi,
  type GoogleApiOptions,
  queryLiteral,
} from '../../../../../../src/storage/drives/google/api/google-api.ts'
import { GoogleNotFound } from '../../../../../../src/storage/drives/google/api/google-failure.ts'
import {
  folderType,
  type GoogleFile,
} from '../../../../../../src/storage/drives/google/api/google-file.ts'
import type { CallKind } from '../../../../../fakes/google/call-kinds.ts'
import { type FaultName, faultKinds } from '../../../../../fakes/google/fault-effects.ts'
import {
  type EmulatorOptions,
  type GoogleEmulator,
  startGoogleEmulator,
} from '../../../../../fakes/google/google-emulator.ts'
import { collected, FakeClock } from './scripted-google.ts'

const kib256 = 256 * 1024
const mib = 1024 * 1024
const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

async function startDrive(
  t: TestContext,
  given: EmulatorOptions = {},
  options: Partial<GoogleApiOptions> = {},
) {
  const google = await startGoogleEmulator(given)
  const drive = openDrive(google, options)
  t.after(async () => {
    await drive.api.close()
    await google.close()
  })
  return drive
}

function openDrive(google: GoogleEmulator, options: Partial<GoogleApiOptions> = {}) {
  const clock = new FakeClock()
  clock.nowMs = Date.now()
  const api = new GoogleApi({
    credentials: google.credentials,
    endpoints: google.endpoints,
    sharedDriveId: google.sharedDriveId,
    clock,
    ...options,
  })
  const read = async (id: string, range?: { start: number; end: number }) =>
    Buffer.concat(await collected((await api.download(id, { range })).body))
  const children = async (parent: string) => {
    const q = `${queryLiteral(parent)} in parents and trashed = false`
    return (await api.listFiles({ q })).files
  }
  return { google, api, clock, read, children, root: google.rootFolderId }
}

/** A whole upload as a drive does it: chunks of 2 blocks, then the rest. */
async function upload(api: GoogleApi, parent: string, bytes: Buffer): Promise<GoogleFile> {
  const url = await api.beginSession({ metadata: { name: 'big', parents: [parent] } })
  let offset = 0
  for (;;) {
    const end = Math.min(bytes.length, offset + 2 * kib256)
    const total = end === bytes.length ? end : undefined
    const state = await api.sendChunk(url, {
      offset,
      bytes: [bytes.subarray(offset, offset + 1000), bytes.subarray(offset + 1000, end)],
      length: end - offset,
      total,
    })
    if (state.kind === 'done') return state.file
    if (state.kind === 'gone') throw new DriveError('busy', 'the session is gone')
    offset = state.persisted
  }
}

test('the emulated Drive accepts every call', async (t) => {
  const { google, api, read, children, root } = await startDrive(t)
  const start = await api.startPageToken()
  const folder = await api.createFile({ name: 'folder', mimeType: folderType, parents: [root] })
  const bytes = randomBytes(1000)
  const small = await api.uploadSmall({
    metadata: {
      name: "it's",
      parents: [folder.id],
      mimeType: 'image/png',
      appProperties: { a: 'b' },
    },
    bytes,
  })
  assert.deepEqual(
    [small.size, small.md5Checksum, small.mimeType],
    [1000, md5Of(bytes), 'image/png'],
  )
  assert.deepEqual(await read(small.id), bytes)
  assert.deepEqual(await read(small.id, { start: 10, end: 5000 }), bytes.subarray(10))
  assert.deepEqual(await api.getFile(small.id), small)
  const empty = await api.createFile({
    name: 'empty',
    mimeType: 'text/plain',
    parents: [folder.id],
  })
  assert.equal(empty.size, 0)
  const replaced = await api.uploadSmall({ id: small.id, metadata: {}, bytes: Buffer.from('new') })
  assert.deepEqual([replaced.id, replaced.size, replaced.appProperties], [small.id, 3, { a: 'b' }])
  assert.notEqual(replaced.headRevisionId, small.headRevisionId)
  const copy = await api.copyFile(small.id, {
    name: 'copy',
    parents: [root],
    appProperties: { a: 'c' },
  })
  assert.equal((await read(copy.id)).toString(), 'new')
  const moved = await api.updateFile(
    copy.id,
    { name: 'moved', appProperties: { a: null } },
    { addParents: [folder.id], removeParents: [root] },
  )
  assert.deepEqual([moved.parents, moved.name, moved.appProperties], [[folder.id], 'moved', {}])
  assert.deepEqual((await children(folder.id)).map(({ name }) => name).sort(), [
    'empty',
    "it's",
    'moved',
  ])
  assert.equal(await api.trash(moved.id), true)
  assert.equal((await api.getFile(moved.id)).trashed, true)
  assert.equal(await api.delete(moved.id), true)
  assert.equal(await api.delete(moved.id), false)
  const { changes, newStartPageToken } = await api.changes(start)
  assert.ok(newStartPageToken !== undefined)
  const byId = new Map(changes.map((change) => [change.fileId, change]))
  assert.deepEqual(byId.get(moved.id), { fileId: moved.id })
  assert.equal(byId.get(small.id)?.file?.name, "it's")
  assert.ok((await api.about()).usageBytes >= 0)
  assert.deepEqual(google.counters.refusals, { 'delete notFound': 1 })
})

test('an upload in chunks arrives complete', async (t) => {
  const { google, api, read, root } = await startDrive(t)
  const bytes = randomBytes(5 * kib256 + 77)
  const file = await upload(api, root, bytes)
  assert.deepEqual([file.size, file.md5Checksum], [bytes.length, md5Of(bytes)])
  assert.deepEqual(await read(file.id), bytes)
  assert.deepEqual(google.counters.refusals, {})
})

test('a session is ended without bytes, queried and cancelled', async (t) => {
  const { api, root } = await startDrive(t)
  const metadata = { name: 'x', parents: [root] as const }
  const first = await api.beginSession({ metadata })
  assert.deepEqual(await api.querySession(first), { kind: 'open', persisted: 0 })
  const block = { bytes: [randomBytes(kib256)], length: kib256 }
  assert.deepEqual(await api.sendChunk(first, { ...block, offset: 0, total: undefined }), {
    kind: 'open',
    persisted: kib256,
  })
  const done = await api.sendChunk(first, { bytes: [], offset: kib256, length: 0, total: kib256 })
  assert.ok(done.kind === 'done' && done.file.size === kib256)
  const again = await api.querySession(first)
  assert.ok(again.kind === 'done' && again.file.id === done.file.id)
  const second = await api.beginSession({ metadata, size: 10 })
  await api.cancelSession(second)
  await api.cancelSession(second)
  assert.deepEqual(await api.querySession(second), { kind: 'gone' })
})

test('a chunk can be sent as a stream', async (t) => {
  const { api, read, root } = await startDrive(t)
  const bytes = randomBytes(4 * mib)
  async function* stream() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  const url = await api.beginSession({ metadata: { name: 'x', parents: [root] } })
  const whole = { offset: 0, length: bytes.length, total: bytes.length }
  const state = await api.sendChunk(url, { ...whole, bytes: stream() })
  assert.ok(state.kind === 'done')
  assert.deepEqual(await read(state.file.id), bytes)
})

test('a service account works in a shared drive', async (t) => {
  const google = await startGoogleEmulator({ sharedDrive: 'Team' })
  const api = new GoogleApi({
    credentials: parseServiceAccount(JSON.stringify(google.serviceAccount)),
    endpoints: google.endpoints,
    sharedDriveId: google.sharedDriveId,
  })
  t.after(async () => {
    await api.close()
    await google.close()
  })
  const parents = [google.rootFolderId] as const
  const file = await api.uploadSmall({ metadata: { name: 'x', parents }, bytes: Buffer.from('x') })
  const { files } = await api.listFiles({ q: `${queryLiteral(google.rootFolderId)} in parents` })
  assert.deepEqual(
    files.map(({ id }) => id),
    [file.id],
  )
  assert.equal(file.driveId, google.sharedDriveId)
})

test('a service account without a shared drive gets an error that it has no storage', async (t) => {
  const google = await startGoogleEmulator()
  const credentials = parseServiceAccount(JSON.stringify(google.serviceAccount))
  const api = new GoogleApi({ credentials, endpoints: google.endpoints })
  t.after(async () => {
    await api.close()
    await google.close()
  })
  const sent = api.uploadSmall({ metadata: { name: 'x' }, bytes: Buffer.from('x') })
  await assert.rejects(sent, (error) => {
    assert.ok(error instanceof DriveError && error.kind === 'full')
    assert.match(error.message, /service account has no storage of its own/)
    return true
  })
})

test('calls succeed although tokens expire early', async (t) => {
  const { google, api, root } = await startDrive(t)
  for (let count = 0; count < 3; count++) {
    google.faults.next({ on: 'get', do: 'expired-token' })
    await Promise.all(Array.from({ length: 8 }, () => api.getFile(root)))
  }
  assert.equal(google.counters.of(['token']), 4)
})

/** Faults that end an operation: what callers may get then. */
const final: Partial<Record<FaultName, readonly string[]>> = {
  'storage-full': ['full'],
  denied: ['denied'],
  'daily-limit': ['busy'],
  'session-gone': ['busy'],
  'truncate-download': ['unavailable'],
}
/** What the drive has to see: damaged bytes by their checksum, and what other people do. */
const beyond: ReadonlySet<FaultName> = new Set([
  'damage-upload',
  'damage-download',
  'duplicate',
  'run',
  'run-after-commit',
  'target-deleted',
  'target-trashed',
  'parent-deleted',
  'parent-trashed',
])

interface Operation {
  readonly kinds: readonly CallKind[]
  readonly run: (drive: ReturnType<typeof openDrive>, folder: string) => Promise<void>
}

const bytes = randomBytes(5 * kib256 + 77)
async function assertHolds(
  file: GoogleFile,
  folder: string,
  expected: Buffer,
  drive: ReturnType<typeof openDrive>,
) {
  assert.equal(file.md5Checksum, md5Of(expected))
  assert.deepEqual(
    (await drive.children(folder)).map(({ id }) => id),
    [file.id],
  )
}
const operations: readonly Operation[] = [
  {
    kinds: ['init', 'chunk', 'lastChunk', 'query'],
    run: async (drive, folder) => {
      await assertHolds(await upload(drive.api, folder, bytes), folder, bytes, drive)
    },
  },
  {
    kinds: ['multipart', 'generateIds', 'token'],
    run: async (drive, folder) => {
      const metadata = { name: 'small', parents: [folder] as const }
      await assertHolds(await drive.api.uploadSmall({ metadata, bytes }), folder, bytes, drive)
    },
  },
  {
    kinds: ['create'],
    run: async (drive, folder) => {
      const metadata = { name: 'empty', mimeType: 'text/plain', parents: [folder] as const }
      await assertHolds(await drive.api.createFile(metadata), folder, Buffer.alloc(0), drive)
    },
  },
  {
    kinds: ['copy', 'update', 'get', 'download', 'delete'],
    run: async (drive, folder) => {
      const source = await drive.google.byHand.file('source', bytes)
      const copy = await drive.api.copyFile(source, { name: 'copy', parents: [folder] })
      await assertHolds(copy, folder, bytes, drive)
      assert.equal((await drive.api.updateFile(copy.id, { name: 'other' })).name, 'other')
      assert.equal((await drive.api.getFile(copy.id)).name, 'other')
      assert.deepEqual(await drive.read(copy.id), bytes)
      assert.equal(await drive.api.delete(copy.id), true)
    },
  },
]
for (const { kinds, run } of operations) {
  for (const kind of kinds) {
    test(`faults at ${kind} leave one complete file, or an error with advice`, async (t) => {
      const { google } = await startDrive(t)
      const names = (Object.keys(faultKinds) as FaultName[]).filter((name) => {
        return faultKinds[name].includes(kind) && !beyond.has(name)
      })
      for (const name of names) {
        const drive = openDrive(google)
        const folder = google.byHand.folder(`${kind} ${name}`)
        google.faults.clear()
        google.faults.next({ on: kind, do: name })
        // A query comes only after a failure.
        if (kind === 'query') google.faults.next({ on: 'chunk', do: 'server-503' })
        const failure = await run(drive, folder).then(
          () => undefined,
          (error: unknown) => error,
        )
        await drive.api.close()
        const outcome = failure instanceof DriveError ? failure.kind : failure
        // The caller must repeat an interrupted download, because the file may have changed.
        const isCut = kind === 'download' && name === 'drop-mid-reply'
        const allowed = isCut ? ['unavailable'] : (final[name] ?? [undefined])
        assert.ok(
          (allowed as readonly unknown[]).includes(outcome),
          `${kind} ${name}: ${String(failure)}`,
        )
        assert.ok(google.faults.isSpent, `${kind} ${name} did not strike`)
      }
      assert.ok(names.length > 3)
    })
  }
}

test('listFiles rejects incomplete lists and deleted folders', async (t) => {
  const { google, api } = await startDrive(t)
  google.knobs.isSearchIncomplete = true
  await assert.rejects(api.listFiles({}), { kind: 'unavailable' })
  google.knobs.isSearchIncomplete = false
  const q = `${queryLiteral(google.rootFolderId)} in parents or ${queryLiteral('gone')} in parents`
  await assert.rejects(api.listFiles({ q }), GoogleNotFound)
})

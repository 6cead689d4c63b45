/** Calls to Google with an unknown outcome: lost or late responses, refusals. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import type { GoogleApi } from '../../../src/storage/drives/google/api/google-api.ts'
import { parseGoogleRecord } from '../../../src/storage/drives/google/objects/recovery-record.ts'
import {
  attributesOf,
  bucket,
  bytesOf,
  get,
  getText,
  put,
  rejectsAs,
  writeChunks,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import {
  driveFolder,
  folderAt,
  type GoogleDrive,
  googleWorld,
  hastyApi,
} from '../../contract/google-drive-under-test.ts'
import { replacing } from './replaced-calls.ts'

const large = bytesOf(6 * 1024 * 1024, 1)
const down = () => new DriveError('unavailable', 'down')
const denied = () => new DriveError('denied', '403 insufficientFilePermissions')

async function copy(drive: GoogleDrive, from: string, to: string): Promise<unknown> {
  const metadata = await drive.head(bucket, from)
  assert.ok(metadata && drive.copy)
  const { attributes } = metadata
  const source = { bucket, key: from, etag: attributes.etag }
  return await drive.copy(source, { bucket, key: to }, { attributes })
}

describe('a repeated Complete', () => {
  test('does not count as published because the staging folder was replaced', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const heir = await open()
    await put(heir, 'source', 'x')
    await copy(heir, 'source', 'copy')
    emulator.byHand.delete(folderAt(emulator, `${driveFolder}/.bucketry`))
    const api = hastyApi(emulator)
    let fails = true
    const updateFile: GoogleApi['updateFile'] = async (...args) => {
      if (!fails) return await api.updateFile(...args)
      fails = false
      throw down()
    }
    const drive = await open({ api: replacing(api, { updateFile }) })
    const session = await UploadSession.begin(drive, 'large')
    await session.append(bytesOf(600_000))
    await rejectsAs(session.complete(), 'unavailable')
    session.moveTo(heir)
    assert.equal(await heir.uploads.isPublished(session.state), false)
    assert.equal((await session.complete())?.size, 600_000)
    assert.ok((await get(heir, 'large'))?.equals(session.bytes))
  })
})

/** Started while the key has no object; `replaced` is written before the end. */
async function putLarge(drive: GoogleDrive, replaced: () => Promise<unknown>): Promise<unknown> {
  const draft = await drive.draft(bucket, 'k', { size: large.length })
  try {
    await writeChunks(draft, large)
    await replaced()
    return await draft.publish(attributesOf(large))
  } finally {
    await draft.discard()
  }
}

async function putCopy(drive: GoogleDrive, replaced: () => Promise<unknown>): Promise<unknown> {
  await put(drive, 'source', large)
  await replaced()
  return await copy(drive, 'source', 'k')
}

test('completes a small upload with If-None-Match whose response was lost', async (t) => {
  const { open, emulator } = await googleWorld(t)
  const heir = await open()
  const api = hastyApi(emulator)
  let failures = 0
  const uploadSmall: GoogleApi['uploadSmall'] = async (upload) => {
    failures += 1
    // First the request does not arrive, then its response is lost.
    if (failures === 2) await api.uploadSmall(upload)
    throw down()
  }
  const drive = await open({ api: replacing(api, { uploadSmall }) })
  const session = await UploadSession.begin(drive, 'small')
  await session.append(Buffer.from('bytes'))
  const isNew = { ifNoneMatch: '*' } as const
  for (let round = 0; round < 2; round++) await rejectsAs(session.complete(isNew), 'unavailable')
  session.moveTo(heir)
  assert.equal((await session.complete(isNew))?.size, 5)
  assert.equal((await session.complete(isNew))?.size, 5)
  assert.equal(await getText(heir, 'small'), 'bytes')
  const other = await UploadSession.begin(heir, 'small')
  await other.append(Buffer.from('other'))
  await rejectsAs(other.complete(isNew), 'condition')
  await other.complete()
  assert.equal(await session.complete(isNew), undefined)
  assert.equal(await getText(heir, 'small'), 'other')
})

describe('an object whose last call got no response', () => {
  for (const isLate of [false, true]) {
    const when = isLate ? 'does its work late' : 'has done its work'
    for (const write of [putCopy, putLarge]) {
      test(`is the old or the new one when the call ${when}: ${write.name}`, async (t) => {
        const { open, emulator } = await googleWorld(t)
        const keeper = await open()
        const api = hastyApi(emulator)
        let lost: (() => Promise<unknown>) | undefined
        const updateFile: GoogleApi['updateFile'] = async (...args) => {
          const update = () => api.updateFile(...args)
          if (args[1].name !== 'k') return await update()
          lost = update
          if (!isLate) await update()
          throw down()
        }
        // Another process recovers the work just before.
        const deleting: GoogleApi['delete'] = async (...args) => {
          if (isLate) await lost?.()
          await keeper.refresh()
          return await api.delete(...args)
        }
        const calls = { updateFile, delete: deleting }
        const drive = await open({ api: replacing(api, calls) })
        await rejectsAs(
          write(drive, () => put(keeper, 'k', 'old')),
          'unavailable',
        )
        for (let round = 0; round < 2; round++) {
          await keeper.refresh()
          const bytes = (await get(keeper, 'k')) ?? Buffer.from('nothing')
          assert.ok(bytes.equals(large) || bytes.toString() === 'old', bytes.toString('utf8', 0, 9))
        }
      })
    }
  }
})

describe('a file of another owner', () => {
  test('that a copy replaces does not block writes of this key or of others', async (t) => {
    const { open, emulator, database, warnings } = await googleWorld(t)
    const api = hastyApi(emulator)
    const foreign = new Map<string, () => Error>()
    const trash: GoogleApi['trash'] = async (id, options) => {
      const refusal = foreign.get(id)
      if (refusal !== undefined) throw refusal()
      return await api.trash(id, options)
    }
    const drive = await open({ api: replacing(api, { trash }) })
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    const refusals = { k0: down, k1: denied, k2: denied }
    for (const [key, refusal] of Object.entries(refusals)) {
      foreign.set(await emulator.byHand.file(key, 'theirs', { parent: home }), refusal)
    }
    await drive.refresh()
    await put(drive, 'source', 'x')
    for (const key of Object.keys(refusals)) await copy(drive, 'source', key)
    const notes = async () => {
      const select = "SELECT note FROM key_leases WHERE note <> ''"
      const rows = await database.read<{ note: string }>(select, [])
      return rows.map(({ note }) => parseGoogleRecord(note)?.leaseKey)
    }
    assert.equal((await notes()).length, 3)
    await drive.refresh()
    assert.deepEqual(await notes(), [`object ${bucket}/k0`])
    assert.ok(warnings.some((warning) => /no permission to remove/.test(warning)))
    for (const key of ['k1', 'k2']) {
      assert.equal(await getText(drive, key), 'x')
      await put(drive, key, 'y')
      assert.equal(await getText(drive, key), 'y')
    }
    await rejectsAs(put(drive, 'k0', 'y'), 'unavailable')
    foreign.clear()
    await put(drive, 'k0', 'y')
    assert.deepEqual(await notes(), [])
  })
})

test('a sweep trashes files that it may not delete, and keeps recent and unrelated ones', async (t) => {
  const { open, emulator } = await googleWorld(t)
  const api = hastyApi(emulator)
  const drive = await open({
    api: replacing(api, { delete: async () => Promise.reject(denied()) }),
  })
  await put(drive, 'source', 'x')
  await copy(drive, 'source', 'copy')
  const staging = folderAt(emulator, `${driveFolder}/.bucketry`)
  const isInTrash = (id: string) => emulator.byHand.get(id).isTrashed
  const left = await api.newId()
  await api.createFile({ id: left, name: left, parents: [staging] })
  const fresh = await api.newId()
  const modifiedAtMs = Date.now() + 60_000
  await api.createFile({ id: fresh, name: fresh, parents: [staging], modifiedAtMs })
  const theirs = await emulator.byHand.file('a note', 'x', { parent: staging })
  await drive.uploads.sweep(async () => false, -1000)
  assert.deepEqual([left, fresh, theirs].map(isInTrash), [true, false, false])
})

import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { folderMimeType } from './file-record.ts'
import { GoogleCalls } from './google-calls.ts'
import { type GoogleEmulator, startGoogleEmulator } from './google-emulator.ts'

interface Page {
  readonly changes: readonly {
    readonly fileId: string
    readonly removed: boolean
    readonly file?: { readonly name: string; readonly trashed: boolean }
  }[]
  readonly nextPageToken?: string
  readonly newStartPageToken?: string
}

const shared = '&supportsAllDrives=true&includeItemsFromAllDrives=true'

suite('Google emulator: changes and shared drives', () => {
  let emulator: GoogleEmulator
  let calls: GoogleCalls
  let start: string

  const restart = async (sharedDrive?: string) => {
    await emulator?.close()
    emulator = await startGoogleEmulator(sharedDrive === undefined ? {} : { sharedDrive })
    calls = new GoogleCalls(emulator)
    start = (await calls.api('changes/startPageToken')).json.startPageToken
  }
  beforeEach(() => restart())
  after(() => emulator.close())

  const fields = 'fields=nextPageToken,newStartPageToken,changes(fileId,removed,file(name,trashed))'
  const page = async (token: string, more = ''): Promise<Page> =>
    (await calls.api(`changes?pageToken=${token}&${fields}${more}`)).json

  test('a file that changed twice is reported once, in its current state', async () => {
    const id = await emulator.byHand.file('a', '1')
    emulator.byHand.rename(id, 'b')
    const { changes, newStartPageToken, nextPageToken } = await page(start)
    assert.deepEqual(changes, [{ fileId: id, removed: false, file: { name: 'b', trashed: false } }])
    assert.equal(nextPageToken, undefined)
    assert.deepEqual((await page(newStartPageToken ?? '')).changes, [])
  })

  test('the feed reports a deleted file as removed, a trashed one as trashed', async () => {
    const deleted = await emulator.byHand.file('deleted', '1')
    const trashed = await emulator.byHand.file('trashed', '1')
    emulator.byHand.delete(deleted)
    emulator.byHand.trash(trashed)
    assert.deepEqual((await page(start)).changes, [
      { fileId: deleted, removed: true },
      { fileId: trashed, removed: false, file: { name: 'trashed', trashed: true } },
    ])
    assert.equal((await page(start, '&includeRemoved=false')).changes.length, 1)
  })

  test('a deleted folder is reported alone, unless descendants are requested', async () => {
    const folder = emulator.byHand.folder('f')
    await emulator.byHand.file('inside', '1', { parent: folder })
    const behind = (await page(start)).newStartPageToken ?? ''
    emulator.byHand.trash(folder)
    assert.equal((await page(behind)).changes.length, 1)
    emulator.files.tellsOfDescendants = true
    emulator.byHand.restore(folder)
    assert.equal((await page(behind)).changes.length, 2)
    emulator.byHand.delete(folder)
    assert.equal((await page(behind)).changes.filter(({ removed }) => removed).length, 2)
  })

  test('page tokens lead through all pages, including short and empty ones', async () => {
    const wanted = new Set<string>()
    for (let at = 0; at < 12; at++) wanted.add(await emulator.byHand.file(`${at}`, ''))
    emulator.knobs.pageLimit = 5
    emulator.knobs.hasEmptyPages = true
    const sizes: number[] = []
    let token: string | undefined = start
    let end: string | undefined
    while (token !== undefined) {
      const { changes, nextPageToken, newStartPageToken } = await page(token)
      sizes.push(changes.length)
      for (const { fileId } of changes) wanted.delete(fileId)
      token = nextPageToken
      end = newStartPageToken
    }
    assert.deepEqual(sizes, [0, 5, 0, 5, 0, 2])
    assert.equal(wanted.size, 0)
    assert.deepEqual((await page(end ?? '')).changes, [])
  })

  test('the feed may lag without losing changes', async () => {
    emulator.files.changes.lagMs = 30_000
    const id = await emulator.byHand.file('late', '1')
    const early = await page(start)
    assert.deepEqual(early.changes, [])
    emulator.clock.advance(30_000)
    const late = await page(early.newStartPageToken ?? '')
    assert.deepEqual(
      late.changes.map(({ fileId }) => fileId),
      [id],
    )
  })

  test('changes rejects a missing, invalid or expired page token', async () => {
    assert.equal((await calls.api('changes')).status, 400)
    for (const token of ['x', '99999999', '-1', '1.5']) {
      assert.equal((await calls.api(`changes?pageToken=${token}`)).status, 400, token)
    }
    emulator.files.changes.oldest = Number(start) + 1
    assert.equal((await calls.api(`changes?pageToken=${start}`)).status, 400)
  })

  test('shared drives are visible only with supportsAllDrives', async () => {
    await restart('Team')
    const drive = emulator.sharedDriveId ?? ''
    assert.equal(emulator.rootFolderId, drive)
    assert.equal((await calls.api(`drives/${drive}`)).json.name, 'Team')
    assert.equal((await calls.api('drives')).json.drives.length, 1)
    const body = { name: 'f', mimeType: folderMimeType, parents: [drive] }
    assert.equal((await calls.api('files', { body })).status, 404)
    const { id } = (await calls.api('files?supportsAllDrives=true', { body })).json
    assert.equal((await calls.api(`files/${id}`)).status, 404)
    const seen = await calls.api(`files/${id}?supportsAllDrives=true&fields=driveId,parents`)
    assert.deepEqual(seen.json, { parents: [drive], driveId: drive })
    const q = `files?q=${encodeURIComponent(`'${drive}' in parents`)}`
    assert.equal((await calls.api(q)).json.files.length, 0)
    assert.equal((await calls.api(q + shared)).json.files.length, 1)
    const corpora = `${q}${shared}&corpora=drive`
    assert.equal((await calls.api(`${corpora}&driveId=${drive}`)).json.files.length, 1)
    assert.equal((await calls.api(corpora)).status, 400)
    const unsupported = await calls.api(`${q}&includeItemsFromAllDrives=true`)
    assert.equal(unsupported.json.error.errors[0].reason, 'supportsTeamDrivesRequired')
  })

  test('the feed of a shared drive is selected by its id', async () => {
    await restart('Team')
    const drive = emulator.sharedDriveId ?? ''
    const own = await emulator.byHand.file('mine', '1')
    const team = await emulator.byHand.file('ours', '1', { parent: drive })
    const idsOf = async (more: string) =>
      (await page(start, more)).changes.map(({ fileId }) => fileId)
    assert.deepEqual(await idsOf(''), [own])
    assert.deepEqual(await idsOf(`${shared}&driveId=${drive}`), [team])
    assert.deepEqual(await idsOf(shared), [own, team])
    assert.deepEqual(await idsOf(`${shared}&restrictToMyDrive=true`), [own])
  })
})

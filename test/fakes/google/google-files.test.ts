import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { testBytes } from '../../support/test-bytes.ts'
import { GoogleCalls } from './google-calls.ts'
import { type GoogleEmulator, startGoogleEmulator } from './google-emulator.ts'

suite('Google emulator: files', () => {
  let emulator: GoogleEmulator
  let calls: GoogleCalls

  before(async () => {
    emulator = await startGoogleEmulator()
    calls = new GoogleCalls(emulator)
  })
  after(() => emulator.close())

  const reasonOf = (reply: { json: { error: { errors: { reason: string }[] } } }) =>
    reply.json.error.errors[0]?.reason

  test("get rejects unknown parameters with Google's error messages", async () => {
    const reply = await calls.api('files/nothing')
    assert.equal(reply.status, 404)
    assert.deepEqual(reply.json, {
      error: {
        errors: [
          {
            domain: 'global',
            reason: 'notFound',
            message: 'File not found: nothing.',
            locationType: 'parameter',
            location: 'fileId',
          },
        ],
        code: 404,
        message: 'File not found: nothing.',
      },
    })
    assert.equal((await calls.api('files/root?fields=bogus')).status, 400)
    assert.equal((await calls.api('files/root?unknown=parameter')).status, 200)
    assert.equal((await calls.api('files/root')).json.id, emulator.rootFolderId)
  })

  test('create rejects a parent that is not a folder, several parents, and read-only fields', async () => {
    const file = await emulator.byHand.file('no folder', '')
    const cases: readonly (readonly [metadata: unknown, status: number])[] = [
      [{ name: 'x', parents: ['nothing'] }, 404],
      [{ name: 'x', parents: [file] }, 403],
      [{ name: 'x', parents: ['root', file] }, 400],
      [{ name: 'x', size: '3' }, 403],
      [{ name: 3 }, 400],
      [{ name: 'x', modifiedTime: 'yesterday' }, 400],
      [[], 400],
    ]
    for (const [body, status] of cases) {
      assert.equal((await calls.api('files', { body })).status, status, JSON.stringify(body))
    }
  })

  test('create accepts an id once, and only a generated one', async () => {
    const { ids } = (await calls.api('files/generateIds?count=3')).json
    assert.equal(ids.length, 3)
    const body = { id: ids[0], name: 'x' }
    assert.equal((await calls.api('files', { body })).json.id, ids[0])
    const again = await calls.api('files', { body })
    assert.equal(again.status, 409)
    assert.equal(reasonOf(again), 'fileIdInUse')
    await calls.api(`files/${ids[0]}`, { method: 'DELETE' })
    assert.equal((await calls.api('files', { body })).status, 409)
    const invented = await calls.api('files', { body: { id: 'mine', name: 'x' } })
    assert.equal(invented.status, 400)
    assert.equal((await calls.api('files/generateIds?count=1001')).status, 400)
  })

  test('update rejects moving a folder below itself', async () => {
    const outer = emulator.byHand.folder('outer')
    const inner = emulator.byHand.folder('inner', outer)
    const query = `addParents=${inner}&removeParents=root`
    const reply = await calls.api(`files/${outer}?${query}`, { method: 'PATCH', body: {} })
    assert.equal(reply.status, 400)
  })

  test('a folder has a maximum number of children', async () => {
    const folder = emulator.byHand.folder('full')
    emulator.knobs.maxChildren = 1
    const create = () => calls.api('files', { body: { name: 'x', parents: [folder] } })
    assert.equal((await create()).status, 200)
    assert.equal(reasonOf(await create()), 'numChildrenInNonRootLimitExceeded')
    emulator.knobs.maxChildren = 500_000
  })

  test('metadata must be JSON with a JSON content type', async () => {
    const headers = { 'content-type': 'text/plain' }
    const reply = await calls.api('files', { method: 'POST', headers, body: Buffer.from('{}') })
    assert.equal(reply.status, 400)
    assert.equal(reasonOf(reply), 'badContent')
  })

  test('properties have at most 124 bytes of UTF-8, and a file at most 30 properties', async () => {
    const create = (appProperties: unknown) =>
      calls.api('files?fields=appProperties', { body: { name: 'p', appProperties } })
    assert.equal((await create({ ab: 'ü'.repeat(61) })).status, 200)
    const long = await create({ abc: 'ü'.repeat(61) })
    assert.equal(long.status, 403)
    assert.equal(reasonOf(long), 'propertyLengthLimitExceeded')
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))
    assert.equal((await create(many(30))).status, 200)
    assert.equal(reasonOf(await create(many(31))), 'propertyCountLimitExceeded')
  })

  test('a download accepts one range, and none of an empty file', async () => {
    const bytes = testBytes('range', 700_000)
    const id = await emulator.byHand.file('range', bytes)
    const part = (range: string, file = id) =>
      calls.api(`files/${file}?alt=media`, { headers: { range } })
    const cases: readonly (readonly [range: string, start: number, end: number])[] = [
      ['bytes=0-0', 0, 1],
      ['bytes=300000-', 300_000, 700_000],
      ['bytes=-5', 699_995, 700_000],
      ['bytes=699999-9999999', 699_999, 700_000],
    ]
    for (const [range, start, end] of cases) {
      const reply = await part(range)
      assert.equal(reply.status, 206)
      assert.equal(reply.headers.get('content-range'), `bytes ${start}-${end - 1}/700000`)
      assert.ok(reply.bytes.equals(bytes.subarray(start, end)))
    }
    assert.equal((await part('bytes=700000-')).status, 416)
    const empty = await emulator.byHand.file('empty', '')
    assert.equal((await part('bytes=0-', empty)).status, 416)
    assert.equal((await calls.api(`files/${empty}?alt=media`)).status, 200)
  })

  test('a download is rejected for files without bytes and for malware', async () => {
    const document = emulator.byHand.googleDocument('letter')
    const refused = await calls.api(`files/${document}?alt=media`)
    assert.equal(refused.status, 403)
    assert.equal(reasonOf(refused), 'fileNotDownloadable')
    const reply = await calls.api(`files/${document}?fields=size,md5Checksum,mimeType`)
    assert.deepEqual(reply.json, { mimeType: 'application/vnd.google-apps.document' })
    const id = await emulator.byHand.file('virus', 'x')
    emulator.byHand.flagAsAbusive(id)
    assert.equal(reasonOf(await calls.api(`files/${id}?alt=media`)), 'cannotDownloadAbusiveFile')
    assert.equal((await calls.api(`files/${id}?alt=media&acknowledgeAbuse=true`)).status, 200)
    const shortcut = emulator.byHand.shortcut('link', id)
    const details = await calls.api(`files/${shortcut}?fields=shortcutDetails`)
    assert.equal(details.json.shortcutDetails.targetId, id)
  })

  test('about requires fields, and returns the limit if there is one', async () => {
    const reply = await calls.api('about')
    assert.equal(reply.status, 400)
    assert.equal(reasonOf(reply), 'required')
    const unlimited = await calls.api('about?fields=storageQuota')
    assert.equal(unlimited.json.storageQuota.limit, undefined)
    emulator.knobs.limitBytes = 1
    const limited = await calls.api('about?fields=storageQuota/limit')
    assert.deepEqual(limited.json, { storageQuota: { limit: '1' } })
    delete emulator.knobs.limitBytes
  })
})

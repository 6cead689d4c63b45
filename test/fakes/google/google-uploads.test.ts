import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { testBytes } from '../../support/test-bytes.ts'
import { GoogleCalls } from './google-calls.ts'
import { type GoogleEmulator, startGoogleEmulator } from './google-emulator.ts'

const block = 256 * 1024

suite('Google emulator: uploads', () => {
  let emulator: GoogleEmulator
  let calls: GoogleCalls
  const bytes = testBytes('uploads', 3 * block + 1000)

  before(async () => {
    emulator = await startGoogleEmulator()
    calls = new GoogleCalls(emulator)
  })
  after(() => emulator.close())
  beforeEach(() => emulator.faults.clear())

  const part = (start: number, end: number) => bytes.subarray(start, end)
  const begin = (metadata: unknown = { name: 'x' }) =>
    calls.session(metadata, { query: '&fields=id,size,md5Checksum' })

  test('a session rejects gaps, partial blocks, wrong lengths and changed totals', async () => {
    const session = await calls.session({ name: 'strict' })
    const gap = await calls.chunk(session, block, { bytes: part(0, block) })
    assert.equal(gap.status, 503)
    assert.match(gap.bytes.toString(), /exceeds already uploaded size of 0 byte/)
    const odd = await calls.chunk(session, 0, { bytes: part(0, block + 1) })
    assert.equal(odd.status, 400)
    for (const range of ['bytes 0-9/*', 'bytes 9-0/*', 'bytes 0-9/5', 'bytes=0-9', '0-9/*']) {
      const headers = { 'content-range': range }
      const reply = await calls.send(session, { method: 'PUT', headers, body: part(0, 5) })
      assert.equal(reply.status, 400, range)
    }
    const announced = await calls.upload('files?uploadType=resumable', {
      method: 'POST',
      headers: { 'x-upload-content-length': '10' },
      body: { name: 'announced' },
    })
    const url = announced.headers.get('location') ?? ''
    const other = await calls.chunk(url, 0, { bytes: part(0, 5), total: 5 })
    assert.equal(other.status, 400)
    assert.equal((await calls.ask(session)).status, 308)
  })

  test('a session ends with 404 when its file or folder was deleted meanwhile', async () => {
    const id = await emulator.byHand.file('victim', 'old')
    const update = await calls.session({}, { path: `files/${id}` })
    emulator.byHand.delete(id)
    assert.equal((await calls.chunk(update, 0, { bytes, total: bytes.length })).status, 404)
    const folder = emulator.byHand.folder('victim')
    const create = await begin({ name: 'x', parents: [folder] })
    emulator.byHand.delete(folder)
    assert.equal((await calls.chunk(create, 0, { bytes, total: bytes.length })).status, 404)
    assert.equal((await calls.ask(create)).status, 404)
  })

  test('the second of two sessions with one id ends with 409', async () => {
    const { ids } = (await calls.api('files/generateIds?count=1')).json
    const sessions = [
      await begin({ id: ids[0], name: '1' }),
      await begin({ id: ids[0], name: '2' }),
    ]
    const statuses = []
    for (const session of sessions) {
      statuses.push((await calls.chunk(session, 0, { bytes, total: bytes.length })).status)
    }
    assert.deepEqual(statuses, [200, 409])
    await assert.rejects(begin({ id: ids[0] }), /409/)
  })

  test('a full drive rejects bytes but not folders', async () => {
    const id = await emulator.byHand.file('full', bytes)
    emulator.knobs.limitBytes = 1
    const session = await begin()
    const reply = await calls.chunk(session, 0, { bytes, total: bytes.length })
    assert.equal(reply.status, 403)
    assert.equal(reply.json.error.errors[0].reason, 'storageQuotaExceeded')
    assert.equal((await calls.api('files', { body: { name: 'empty' } })).status, 200)
    const smaller = await calls.upload(`files/${id}?uploadType=media`, {
      method: 'PATCH',
      body: part(0, 9),
    })
    assert.equal(smaller.status, 200)
    delete emulator.knobs.limitBytes
  })
})

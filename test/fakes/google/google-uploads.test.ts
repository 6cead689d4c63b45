import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { md5Of, testBytes } from '../../support/test-bytes.ts'
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

  test('multipart accepts metadata and bytes in one request', async () => {
    const media = Buffer.concat([Buffer.from('\r\n--b\n--bb\r\n'), bytes])
    const reply = await calls.upload(
      'files?uploadType=multipart&fields=name,size,md5Checksum,mimeType',
      {
        method: 'POST',
        headers: { 'content-type': 'multipart/related; boundary="b c"' },
        body: related('b c', { name: 'both' }, media),
      },
    )
    assert.deepEqual(reply.json, {
      name: 'both',
      mimeType: 'text/x-test',
      size: String(media.length),
      md5Checksum: md5Of(media),
    })
    const broken = await calls.upload('files?uploadType=multipart', {
      method: 'POST',
      headers: { 'content-type': 'multipart/related; boundary=other' },
      body: related('b', {}, media),
    })
    assert.equal(broken.status, 400)
  })

  test("media replaces a file's bytes and their type", async () => {
    const id = await emulator.byHand.file('replaced', 'old')
    const before = emulator.byHand.get(id).headRevisionId
    const typeOnly = await calls.api(`files/${id}?fields=mimeType`, {
      method: 'PATCH',
      body: { mimeType: 'text/plain' },
    })
    assert.equal(typeOnly.json.mimeType, 'application/octet-stream')
    const reply = await calls.upload(`files/${id}?uploadType=media&fields=id,size,mimeType`, {
      method: 'PATCH',
      headers: { 'content-type': 'text/html' },
      body: bytes,
    })
    assert.deepEqual(reply.json, { id, mimeType: 'text/html', size: String(bytes.length) })
    assert.notEqual(emulator.byHand.get(id).headRevisionId, before)
  })

  test('a session accepts chunks of unknown total, and the last one with the total', async () => {
    const session = await begin()
    const first = await calls.chunk(session, 0, { bytes: part(0, block) })
    assert.equal(first.status, 308)
    assert.equal(first.headers.get('range'), `bytes=0-${block - 1}`)
    await calls.chunk(session, block, { bytes: part(block, 3 * block) })
    const last = await calls.chunk(session, 3 * block, {
      bytes: part(3 * block, bytes.length),
      total: bytes.length,
    })
    assert.equal(last.status, 200)
    assert.equal(last.json.md5Checksum, md5Of(bytes))
  })

  test('a session can be ended by a request without bytes', async () => {
    const session = await begin()
    await calls.chunk(session, 0, { bytes: part(0, 2 * block) })
    const early = await calls.ask(session, 2 * block + 1)
    assert.equal(early.status, 308)
    const reply = await calls.ask(session, 2 * block)
    assert.equal(reply.status, 200)
    assert.equal(reply.json.md5Checksum, md5Of(part(0, 2 * block)))
  })

  test('a finished session repeats its reply', async () => {
    const session = await begin()
    const one = await calls.chunk(session, 0, { bytes, total: bytes.length })
    for (const again of [
      await calls.ask(session),
      await calls.ask(session, bytes.length),
      await calls.chunk(session, 0, { bytes, total: bytes.length }),
    ]) {
      assert.equal(again.status, 200)
      assert.deepEqual(again.json, one.json)
    }
    const named = [...emulator.files.records().values()].filter(({ id }) => id === one.json.id)
    assert.equal(named.length, 1)
  })

  test('an empty session returns no range', async () => {
    const reply = await calls.ask(await begin())
    assert.equal(reply.status, 308)
    assert.equal(reply.headers.get('range'), null)
  })

  test('a session keeps the whole blocks received before the connection broke', async () => {
    const session = await begin()
    emulator.faults.next({ on: 'chunk', do: 'persist-prefix-then-drop', bytes: 2 * block - 1 })
    await assert.rejects(calls.chunk(session, 0, { bytes: part(0, 3 * block) }))
    const asked = await calls.ask(session)
    assert.equal(asked.headers.get('range'), `bytes=0-${block - 1}`)
    const rest = await calls.chunk(session, block, {
      bytes: part(block, bytes.length),
      total: bytes.length,
    })
    assert.equal(rest.json.md5Checksum, md5Of(bytes))
  })

  test('a session skips bytes that it already has', async () => {
    const session = await begin()
    await calls.chunk(session, 0, { bytes: part(0, 2 * block) })
    const reply = await calls.chunk(session, block, {
      bytes: part(block, bytes.length),
      total: bytes.length,
    })
    assert.equal(reply.json.md5Checksum, md5Of(bytes))
  })

  test('a session may keep fewer bytes than it was sent, and reports it', async () => {
    const session = await begin()
    emulator.faults.next({ on: 'chunk', do: 'persist-less', bytes: block + 1 })
    const less = await calls.chunk(session, 0, { bytes: part(0, 3 * block) })
    assert.equal(less.headers.get('range'), `bytes=0-${block - 1}`)
    emulator.faults.next({ on: 'lastChunk', do: 'persist-nothing' })
    const rest = { bytes: part(block, bytes.length), total: bytes.length }
    const none = await calls.chunk(session, block, rest)
    assert.equal(none.status, 308)
    assert.equal(none.headers.get('range'), `bytes=0-${block - 1}`)
    assert.equal((await calls.chunk(session, block, rest)).json.md5Checksum, md5Of(bytes))
  })

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

  test('a session accepts POST, a body without ranges, and requests without a token', async () => {
    const posted = await calls.send(await begin(), {
      method: 'POST',
      headers: { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}` },
      body: bytes,
    })
    assert.equal(posted.status, 200)
    const whole = await calls.send(await begin(), { method: 'PUT', body: bytes, token: null })
    assert.equal(whole.json.md5Checksum, md5Of(bytes))
    const bad = await calls.send(await begin(), { method: 'PUT', body: bytes, token: 'bad' })
    assert.equal(bad.status, 401)
  })

  test('X-GUploader-No-308 returns 200 and the status in a header', async () => {
    const range = `bytes 0-${block - 1}/*`
    const reply = await calls.send(await begin(), {
      method: 'PUT',
      headers: { 'content-range': range, 'x-guploader-no-308': 'yes' },
      body: part(0, block),
    })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('x-http-status-code-override'), '308')
    assert.equal(reply.headers.get('range'), `bytes=0-${block - 1}`)
  })

  test('PATCH starts a session for an existing file', async () => {
    const id = await emulator.byHand.file('there', 'old')
    const put = await calls.upload(`files/${id}?uploadType=resumable`, { method: 'PUT', body: {} })
    assert.equal(put.status, 200)
    assert.equal(put.headers.get('location'), null)
    const session = await calls.session({}, { path: `files/${id}`, query: '&fields=id,size' })
    assert.equal(emulator.byHand.get(id).content?.size, 3)
    const reply = await calls.chunk(session, 0, { bytes: part(0, 10), total: 10 })
    assert.deepEqual(reply.json, { id, size: '10' })
    await assert.rejects(calls.session({}, { path: 'files/nothing' }), /404/)
    await assert.rejects(calls.session({ parents: ['nothing'] }), /404/)
  })

  test('a session ends after a week or when it is cancelled', async () => {
    const cancelled = await begin()
    assert.equal((await calls.send(cancelled, { method: 'DELETE' })).status, 499)
    assert.equal((await calls.ask(cancelled)).status, 404)
    const old = await begin()
    emulator.clock.advance(7 * 24 * 3600 * 1000)
    calls = new GoogleCalls(emulator)
    assert.equal((await calls.ask(old)).status, 404)
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

  test('a chunk sent again replaces the request in progress', async () => {
    const session = await begin()
    emulator.faults.next({ on: 'chunk', do: 'slow-body', bytes: block })
    const slow = calls.chunk(session, 0, { bytes: part(0, 2 * block) })
    const pushedAside = assert.rejects(slow)
    // The slow one is under way when some of it has come in.
    while (emulator.counters.of(['chunk']) === 0 || emulator.faults.struck.length === 0) {
      await new Promise(setImmediate)
    }
    const fast = await calls.chunk(session, 0, { bytes, total: bytes.length })
    assert.equal(fast.json.md5Checksum, md5Of(bytes))
    await pushedAside
  })

  test('a chunk that arrives after the end does not change the file', async () => {
    const url = await begin()
    await calls.chunk(url, 0, { bytes: part(0, block) })
    emulator.faults.next({ on: 'chunk', do: 'slow-body', bytes: 100_000 })
    const late = assert.rejects(calls.chunk(url, block, { bytes: part(block, 2 * block) }))
    while (!emulator.faults.isSpent) await new Promise(setImmediate)
    const ended = await calls.ask(url, block)
    assert.equal(ended.status, 200)
    assert.equal(ended.json.md5Checksum, md5Of(part(0, block)))
    await late
    assert.equal((await calls.ask(url)).json.size, String(block))
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

function related(boundary: string, metadata: unknown, media: Buffer): Buffer {
  const head = [
    `--${boundary}`,
    'Content-Type: application/json; charset=UTF-8',
    '',
    JSON.stringify(metadata),
    `--${boundary}`,
    'Content-Type: text/x-test',
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(head), media, Buffer.from(`\r\n--${boundary}--`)])
}

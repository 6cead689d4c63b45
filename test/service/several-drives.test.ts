/** Several drives at once (docs/configuration.md, "Several drives"). */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { MainProcess } from '../support/main-process.ts'
import { isDone, until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'
import { testBytes } from '../support/test-bytes.ts'
import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'

const credentials = {
  accessKey: 'AKEXAMPLE',
  secretKey: 'hunter2hunter2hunter2',
  region: 'us-east-1',
}
const mib = 1024 * 1024

interface Request {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
}

/** Sends signed requests to the gateway at the address. */
function clientOf(url: string) {
  return (method: string, target: string, request: Request = {}) =>
    signedFetch({ host: new URL(url).host, credentials }, { method, target, ...request })
}

function scene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-several-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const start = (settings: Record<string, string>) => {
    const main = new MainProcess(folder, {
      ACCESS_KEY: credentials.accessKey,
      SECRET_KEY: credentials.secretKey,
      DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
      DRIVE: `file:${join(folder, 'main')}`,
      DRIVE_SPOOL: join(folder, 'spool'),
      WORKERS: '1',
      ...settings,
    })
    t.after(() => main.kill())
    return main
  }
  return { folder, start }
}

function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

/** A folder, a WebDAV server and Google Drive, with a bucket each. */
async function threeDrives(t: TestContext) {
  const { folder, start } = scene(t)
  const webdav = await startRcloneServe(t)
  assert.ok(webdav)
  const google = await startGoogleEmulator()
  t.after(() => google.close())
  const main = start({
    ALLOWED_BUCKETS: 'photos,music@NAS:Music/Lossless,backup@ARCHIVE:Deep/er',
    DRIVE_NAS: webdav.url,
    DRIVE_ARCHIVE: 'gdrive:Buckets',
    GDRIVE_CLIENT_ID_ARCHIVE: google.credentials.clientId,
    GDRIVE_CLIENT_SECRET_ARCHIVE: google.credentials.clientSecret,
    GDRIVE_REFRESH_TOKEN_ARCHIVE: google.credentials.refreshToken,
    GDRIVE_API_URL: google.url,
  })
  const url = await main.url()
  const send = clientOf(url)
  // The start does not wait long for drives with a name.
  for (const bucket of ['music', 'backup']) {
    await until(async () => (await send('HEAD', `/${bucket}/none`)).status === 404)
  }
  return { folder, main, webdav, url, send }
}

const withoutRclone = absenceOfRclone()

test('objects are copied between a folder, WebDAV and Google Drive, with conditions', {
  skip: withoutRclone,
}, async (t) => {
  const { send, url, webdav, folder } = await threeDrives(t)
  const bytes = testBytes('several', 3 * mib)
  const headers = { 'content-type': 'audio/x', 'x-amz-meta-name': 'value' }
  assert.equal((await send('PUT', '/photos/a/k', { body: bytes, headers })).status, 200)
  const etag = `"${md5Of(bytes)}"`
  const copy = (target: string, source: string, more: Record<string, string> = {}) =>
    send('PUT', target, { headers: { 'x-amz-copy-source': source, ...more } })
  assert.equal((await copy('/music/k', 'photos/a/k')).status, 200)
  assert.equal((await copy('/backup/b/k', 'music/k')).status, 200)
  assert.equal((await copy('/photos/back', 'backup/b/k')).status, 200)
  for (const target of ['/music/k', '/backup/b/k', '/photos/back']) {
    const reply = await send('GET', target)
    assert.equal(md5Of(Buffer.from(await reply.arrayBuffer())), md5Of(bytes), target)
    assert.equal(reply.headers.get('etag'), etag)
    assert.equal(reply.headers.get('content-type'), 'audio/x')
    assert.equal(reply.headers.get('x-amz-meta-name'), 'value')
  }
  const other = { 'x-amz-copy-source-if-match': '"0"' }
  assert.equal((await copy('/backup/no', 'music/k', other)).status, 412)
  assert.equal((await copy('/music/k', 'photos/a/k', { 'if-none-match': '*' })).status, 412)
  assert.ok(existsSync(join(webdav.root, 'Music/Lossless/k')))
  assert.deepEqual(readdirSync(join(folder, 'main')).sort(), ['.bucketry', 'photos'])
  const listed = await (await send('GET', '/')).text()
  assert.deepEqual(
    [...listed.matchAll(/<Name>(\w+)</g)].map(([, name]) => name),
    ['backup', 'music', 'photos'],
  )
  const ready = (await (await fetch(`${url}/-/readyz`)).json()) as { writes: unknown }
  const drives = { ARCHIVE: { ready: true }, NAS: { ready: true } }
  assert.deepEqual(ready.writes, { ready: true, drives })
})

test('uploads and parts copied from other drives go to the drive of their bucket', {
  skip: withoutRclone,
}, async (t) => {
  const { send } = await threeDrives(t)
  const bytes = testBytes('parts', 12 * mib)
  assert.equal((await send('PUT', '/music/whole', { body: bytes })).status, 200)
  for (const bucket of ['photos', 'music', 'backup']) {
    const created = await (await send('POST', `/${bucket}/big?uploads`)).text()
    const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(created)?.[1] ?? ''
    const etags: string[] = []
    for (const [part, range] of [`0-${6 * mib - 1}`, `${6 * mib}-${12 * mib - 1}`].entries()) {
      const headers = {
        'x-amz-copy-source': 'music/whole',
        'x-amz-copy-source-range': `bytes=${range}`,
      }
      const target = `/${bucket}/big?partNumber=${part + 1}&uploadId=${uploadId}`
      const text = await (await send('PUT', target, { headers })).text()
      etags.push(/<ETag>&quot;(\w+)&quot;|<ETag>"(\w+)"/.exec(text)?.slice(1).join('') ?? text)
    }
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const completed = await send('POST', `/${bucket}/big?uploadId=${uploadId}`, { body })
    assert.match(await completed.text(), /-2/)
    const reply = await send('GET', `/${bucket}/big`)
    assert.equal(md5Of(Buffer.from(await reply.arrayBuffer())), md5Of(bytes), bucket)
  }
})

test('a drive that is not there at start gives 503 for its buckets only, until it is', async (t) => {
  const { folder, start } = scene(t)
  // A mount point's target that is not mounted.
  symlinkSync(join(folder, 'disk'), join(folder, 'link'))
  const main = start({
    ALLOWED_BUCKETS: 'photos,music@NAS',
    DRIVE_NAS: `file:${join(folder, 'link')}`,
    METRICS_TOKEN: 'a-token-of-many-characters',
  })
  const url = await main.url()
  const send = clientOf(url)
  assert.equal((await send('PUT', '/photos/k', { body: 'x' })).status, 200)
  for (const method of ['PUT', 'GET', 'HEAD', 'DELETE']) {
    const body = method === 'PUT' ? { body: 'x' } : {}
    const reply = await send(method, '/music/k', body)
    assert.equal(reply.status, 503, method)
    // The client must not learn where the drive is.
    assert.doesNotMatch(await reply.text(), new RegExp(folder))
  }
  assert.equal((await send('GET', '/music')).status, 503)
  assert.equal((await send('GET', '/')).status, 200)
  const health = await fetch(`${url}/-/healthz`)
  assert.equal(health.status, 200)
  assert.deepEqual(await health.json(), { status: 'ok', drives: { NAS: { ready: false } } })
  const up = async () => {
    const headers = { authorization: 'Bearer a-token-of-many-characters' }
    const text = await (await fetch(`${url}/-/metrics`, { headers })).text()
    return text.split('\n').filter((line) => line.startsWith('bucketry_drive_up'))
  }
  assert.deepEqual((await up()).sort(), [
    'bucketry_drive_up{drive="NAS"} 0',
    'bucketry_drive_up{drive="file"} 1',
  ])
  mkdirSync(join(folder, 'disk'))
  await main.line(({ msg }) => msg === 'the drive is available')
  assert.equal((await send('PUT', '/music/k', { body: 'x' })).status, 200)
  assert.equal(readFileSync(join(folder, 'disk/music/k'), 'utf8'), 'x')
  const failures = main.lines.filter(({ msg }) => msg.startsWith('the drive is not available'))
  assert.equal(failures.length, 1)
  await until(async () => (await up()).includes('bucketry_drive_up{drive="NAS"} 1'))
  main.signal('SIGTERM')
  assert.equal(await main.ended(), 0)
})

for (const workers of ['1', '2']) {
  test(`a drive that another gateway takes over is no longer served by ${workers} workers`, async (t) => {
    const { folder, start } = scene(t)
    const nas = join(folder, 'nas')
    const main = start({
      ALLOWED_BUCKETS: 'photos,music@NAS',
      DRIVE_NAS: `file:${nas}`,
      WORKERS: workers,
    })
    const send = clientOf(await main.url())
    // Other workers may still be opening it.
    await until(async () => (await send('PUT', '/music/k', { body: 'x' })).status === 200)
    const note = join(nas, '.bucketry/owner.json')
    const own = readFileSync(note, 'utf8')
    const other = { driveId: 'd', databaseId: 'other', database: 'sqlite:/other.db' }
    writeFileSync(note, JSON.stringify(other))
    const alive = { databaseId: 'other', process: 'elsewhere/1/2', host: 'other' }
    const beat = () => {
      const text = JSON.stringify({ ...alive, beat: `${Date.now()}` })
      writeFileSync(join(nas, '.bucketry/alive.json'), text)
    }
    const beating = setInterval(beat, 500)
    t.after(() => clearInterval(beating))
    await until(async () => {
      const replies = await Promise.all([1, 2, 3, 4].map(() => send('GET', '/music/k')))
      return replies.every(({ status }) => status === 503)
    })
    assert.equal((await send('PUT', '/photos/k', { body: 'x' })).status, 200)
    assert.deepEqual(JSON.parse(readFileSync(note, 'utf8')), other)
    clearInterval(beating)
    writeFileSync(note, own)
    await until(async () => {
      const replies = await Promise.all([1, 2, 3, 4].map(() => send('GET', '/music/k')))
      return replies.every(({ status }) => status === 200)
    })
  })
}

test('a read-only drive is only read, and a read-only bucket refuses writes', async (t) => {
  const { folder, start } = scene(t)
  const nas = join(folder, 'nas')
  mkdirSync(join(nas, 'Music/album'), { recursive: true })
  writeFileSync(join(nas, 'Music/album/song'), 'sound')
  const before = readdirSync(nas, { recursive: true })
  const main = start({
    ALLOWED_BUCKETS: 'photos,kept,music@NAS:Music',
    DRIVE_NAS: `file:${nas}`,
    READ_ONLY: 'kept,@NAS',
  })
  const send = clientOf(await main.url())
  assert.equal(await (await send('GET', '/music/album/song')).text(), 'sound')
  assert.match(await (await send('GET', '/music?list-type=2')).text(), /<Key>album\/song</)
  assert.equal((await send('PUT', '/photos/k', { body: 'x' })).status, 200)
  const copied = { headers: { 'x-amz-copy-source': 'music/album/song' } }
  assert.equal((await send('PUT', '/photos/copy', copied)).status, 200)
  for (const bucket of ['music', 'kept']) {
    const writes = [
      send('PUT', `/${bucket}/k`, { body: 'x' }),
      send('PUT', `/${bucket}/k`, { headers: { 'x-amz-copy-source': 'photos/k' } }),
      send('PUT', `/${bucket}/album/other`, copied),
      send('DELETE', `/${bucket}/album/song`),
      send('POST', `/${bucket}/k?uploads`),
    ]
    for (const reply of await Promise.all(writes)) {
      assert.equal(reply.status, 403)
      assert.match(await reply.text(), /AccessDenied.*The bucket \w+ is read-only \(READ_ONLY\)\./)
    }
    const body = '<Delete><Object><Key>album/song</Key></Object></Delete>'
    const md5 = createHash('md5').update(body).digest('base64')
    const reply = await send('POST', `/${bucket}?delete`, { body, headers: { 'content-md5': md5 } })
    assert.match(await reply.text(), /<Error>.*AccessDenied/)
  }
  assert.equal(await (await send('GET', '/music/album/song')).text(), 'sound')
  main.signal('SIGTERM')
  assert.equal(await main.ended(), 0)
  assert.deepEqual(readdirSync(nas, { recursive: true }), before)
})

test('two settings that lead to one drive serve it once', async (t) => {
  const { folder, start } = scene(t)
  mkdirSync(join(folder, 'main'))
  const main = start({ ALLOWED_BUCKETS: 'photos' })
  await main.url()
  await main.kill()
  // As if a server exported the folder: the settings can't know that it is the same one.
  const copy = join(folder, 'copy')
  mkdirSync(join(copy, '.bucketry'), { recursive: true })
  const note = readFileSync(join(folder, 'main/.bucketry/owner.json'))
  writeFileSync(join(copy, '.bucketry/owner.json'), note)
  const again = start({ ALLOWED_BUCKETS: 'photos,music@NAS', DRIVE_NAS: `file:${copy}` })
  const send = clientOf(await again.url())
  assert.equal((await send('PUT', '/photos/k', { body: 'x' })).status, 200)
  assert.equal((await send('PUT', '/music/k', { body: 'x' })).status, 503)
  assert.match(again.log, /it is the same drive as DRIVE/)
})

test('a copy has one version, and none without its client, whatever happens meanwhile', {
  skip: withoutRclone,
}, async (t) => {
  const { send, url, webdav } = await threeDrives(t)
  const versions = [testBytes('one', 9 * mib), testBytes('two', 8 * mib)] as const
  const whole = new Set(versions.map(md5Of))
  for (const [source, target] of [
    ['photos/k', '/music/k'],
    ['music/k', '/photos/k2'],
    ['music/k', '/backup/k'],
  ] as const) {
    assert.equal((await send('PUT', `/${source}`, { body: versions[0] })).status, 200)
    const [copied, overwritten] = await Promise.all([
      send('PUT', target, { headers: { 'x-amz-copy-source': source } }),
      send('PUT', `/${source}`, { body: versions[1] }),
    ])
    assert.equal(overwritten.status, 200)
    assert.equal(copied.status, 200, await copied.text())
    const reply = await send('GET', target)
    const md5 = md5Of(Buffer.from(await reply.arrayBuffer()))
    assert.ok(whole.has(md5))
    assert.equal(reply.headers.get('etag'), `"${md5}"`)
  }
  const host = new URL(url).host
  const headers = { 'x-amz-copy-source': 'photos/k' }
  const signed = signHeaders({ method: 'PUT', target: '/music/gone', headers, host }, credentials)
  const { host: _, ...sent } = signed
  const files = () =>
    readdirSync(join(webdav.root, '.bucketry/tmp'), {
      recursive: true,
      withFileTypes: true,
    }).filter((one) => one.isFile())
  const isCutOff = async () => {
    const client = new AbortController()
    const options = { method: 'PUT', headers: sent, signal: client.signal }
    let isOver = false
    const asked = fetch(`${url}/music/gone`, options).finally(() => {
      isOver = true
    })
    const wasDone = isDone(asked)
    await until(() => isOver || files().length > 0)
    client.abort()
    return !(await wasDone)
  }
  // Again if the copy was over before.
  await until(isCutOff)
  await until(() => files().length === 0)
  const reply = await send('GET', '/music/gone')
  // The client may have gone after the last byte.
  if (reply.status !== 404) assert.ok(whole.has(md5Of(Buffer.from(await reply.arrayBuffer()))))
})

test('a process killed while it copies to another drive leaves nothing there', {
  skip: withoutRclone,
}, async (t) => {
  const { start } = scene(t)
  const webdav = await startRcloneServe(t)
  assert.ok(webdav)
  const settings = { ALLOWED_BUCKETS: 'photos,music@NAS', DRIVE_NAS: webdav.url }
  const main = start(settings)
  const send = clientOf(await main.url())
  const bytes = testBytes('killed', 64 * mib)
  assert.equal((await send('PUT', '/photos/k', { body: bytes })).status, 200)
  const headers = { 'x-amz-copy-source': 'photos/k' }
  let isOver = false
  const copying = send('PUT', '/music/k', { headers })
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  const own = join(webdav.root, '.bucketry/tmp')
  const files = () =>
    readdirSync(own, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  await until(() => isOver || files().length > 0)
  await main.kill()
  await copying
  const again = clientOf(await start(settings).url())
  await until(async () => (await again('HEAD', '/music/k')).status !== 503)
  const found = await again('GET', '/music/k')
  // The kill may have come after the last step.
  if (found.status !== 404) {
    assert.equal(md5Of(Buffer.from(await found.arrayBuffer())), md5Of(bytes))
  }
  assert.equal((await again('GET', '/photos/k')).status, 200)
  assert.deepEqual(files(), [])
})

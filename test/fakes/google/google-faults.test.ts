import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { assertWithin } from '../../support/assert-within.ts'
import { md5Of, testBytes } from '../../support/test-bytes.ts'
import { type CallKind, callKinds } from './call-kinds.ts'
import { type FaultName, faultKinds } from './fault-effects.ts'
import { GoogleCalls, type RawReply } from './google-calls.ts'
import { type GoogleEmulator, startGoogleEmulator } from './google-emulator.ts'

const block = 256 * 1024
const bytes = testBytes('faults', 2 * block)
/** None is a fault by itself: some are what a test makes of them, others only take their time. */
const unseen: readonly FaultName[] = ['run', 'run-after-commit', 'slow-body', 'slow-download']

suite('Google emulator: faults', () => {
  let emulator: GoogleEmulator
  let calls: GoogleCalls
  let folder: string
  let file: string

  before(async () => {
    emulator = await startGoogleEmulator()
  })
  after(() => emulator.close())
  beforeEach(async () => {
    emulator.faults.clear()
    calls = new GoogleCalls(emulator)
    folder = emulator.byHand.folder('folder')
    file = await emulator.byHand.file('file', bytes, { parent: folder })
  })

  const metadata = () => ({ name: 'new', parents: [folder] })
  const finish = (session: string) =>
    calls.chunk(session, block, { bytes: bytes.subarray(block), total: bytes.length })
  const halfSession = async (id?: string) => {
    const path = id === undefined ? 'files' : `files/${id}`
    const session = await calls.session(id === undefined ? metadata() : {}, { path })
    await calls.chunk(session, 0, { bytes: bytes.subarray(0, block) })
    return session
  }
  const token = () => {
    const { clientId, clientSecret, refreshToken } = emulator.credentials
    const form = { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken }
    const body = new URLSearchParams({ grant_type: 'refresh_token', ...form })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return calls.send(emulator.endpoints.token, { body: Buffer.from(body.toString()), headers })
  }

  /** For each kind a call of it; what it needs beforehand is done before the fault is asked for. */
  const ways: Readonly<Record<CallKind, () => Promise<() => Promise<RawReply>>>> = {
    token: async () => token,
    about: async () => () => calls.api('about?fields=user'),
    list: async () => () => calls.api('files'),
    get: async () => () => calls.api(`files/${file}`),
    download: async () => () => calls.api(`files/${file}?alt=media`),
    create: async () => () => calls.api('files', { body: metadata() }),
    update: async () => () => calls.api(`files/${file}`, { method: 'PATCH', body: { name: 'x' } }),
    delete: async () => () => calls.api(`files/${file}`, { method: 'DELETE' }),
    copy: async () => () => calls.api(`files/${file}/copy`, { body: {} }),
    generateIds: async () => () => calls.api('files/generateIds'),
    multipart: async () => () => multipart(),
    media: async () => () =>
      calls.upload(`files/${file}?uploadType=media`, { method: 'PATCH', body: bytes }),
    init: async () => () =>
      calls.upload(`files/${file}?uploadType=resumable`, { method: 'PATCH', body: {} }),
    chunk: async () => {
      const session = await calls.session({}, { path: `files/${file}` })
      return () => calls.chunk(session, 0, { bytes })
    },
    lastChunk: async () => {
      const session = await halfSession(file)
      return () => finish(session)
    },
    query: async () => {
      const session = await halfSession(file)
      return () => calls.ask(session, block)
    },
    cancel: async () => {
      const session = await halfSession(file)
      return () => calls.send(session, { method: 'DELETE' })
    },
    startPageToken: async () => () => calls.api('changes/startPageToken'),
    changes: async () => () => calls.api('changes?pageToken=1001'),
    drives: async () => () => calls.api('drives'),
    drive: async () => () => calls.api('drives/nothing'),
  }

  const multipart = () => {
    const part = (type: string) => `--b\r\ncontent-type: ${type}\r\n\r\n`
    const head = `${part('application/json')}${JSON.stringify(metadata())}\r\n${part('text/plain')}`
    return calls.upload('files?uploadType=multipart', {
      method: 'POST',
      headers: { 'content-type': 'multipart/related; boundary=b' },
      body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--')]),
    })
  }

  const outcomeOf = async (call: () => Promise<RawReply>) => {
    const reply = await call().catch(() => undefined)
    if (reply === undefined) return 'dropped'
    return `${reply.status} ${reply.json?.error?.errors?.[0]?.reason ?? md5Of(reply.bytes)}`
  }

  for (const kind of callKinds) {
    test(`every fault of ${kind} occurs once, and the next call succeeds`, async () => {
      const names = Object.keys(faultKinds) as FaultName[]
      for (const name of names.filter((name) => faultKinds[name].includes(kind))) {
        const call = await ways[kind]()
        emulator.faults.next({ on: kind, do: name })
        await outcomeOf(call)
        assert.deepEqual(emulator.faults.struck.splice(0), [{ kind, fault: name }], name)
        assert.ok(emulator.faults.isSpent)
        calls = new GoogleCalls(emulator)
        assert.equal((await calls.api('files/root')).status, 200)
        folder = emulator.byHand.folder('folder')
        file = await emulator.byHand.file('file', bytes, { parent: folder })
      }
    })
  }

  test('every fault affects at least one call', async () => {
    for (const [name, kinds] of Object.entries(faultKinds) as [FaultName, CallKind[]][]) {
      if (unseen.includes(name)) continue
      const kind = kinds.includes('lastChunk') ? 'lastChunk' : (kinds[0] ?? 'list')
      const isUpdate = name.startsWith('target')
      const usual = await seen(kind, isUpdate)
      emulator.faults.next({ on: kind, do: name })
      assert.notDeepEqual(await seen(kind, isUpdate), usual, name)
      calls = new GoogleCalls(emulator)
      folder = emulator.byHand.folder('folder')
      file = await emulator.byHand.file('file', bytes, { parent: folder })
    }
  })

  /** What a client sees of a call and what there is of its file afterwards. */
  async function seen(kind: CallKind, isUpdate: boolean): Promise<unknown> {
    let call = await ways[kind]()
    if (kind === 'lastChunk' && !isUpdate) {
      const session = await halfSession()
      call = () => finish(session)
    }
    const reply = await outcomeOf(call)
    // Replies with JSON have ids in them, which differ.
    const outcome = kind === 'download' ? reply : reply.replace(/^200 .*/, '200')
    const children =
      emulator.files.get(folder) === undefined ? [] : emulator.byHand.children(folder)
    const made = children.filter(({ name }) => name === 'new')
    for (const { id } of made) emulator.byHand.delete(id)
    const trashed = [folder, file].map((id) => emulator.files.get(id)?.isTrashed)
    return { outcome, trashed, made: made.map(({ content }) => content?.md5) }
  }

  test('drop-after-commit performs the call without a reply', async () => {
    emulator.faults.next({ on: 'lastChunk', do: 'drop-after-commit' })
    const session = await halfSession()
    await assert.rejects(finish(session))
    const reply = await calls.ask(session, bytes.length)
    assert.equal(reply.status, 200)
    assert.equal(emulator.byHand.get(reply.json.id).content?.md5, md5Of(bytes))
  })

  test('expired-token-mid-body rejects during the body, and the token stays expired', async () => {
    const session = await calls.session(metadata())
    emulator.faults.next({ on: 'chunk', do: 'expired-token-mid-body', bytes: block + 5 })
    const outcome = await outcomeOf(() => calls.chunk(session, 0, { bytes }))
    assert.ok(['401 authError', 'dropped'].includes(outcome), outcome)
    assert.equal((await calls.api('files/root')).status, 401)
    calls = new GoogleCalls(emulator)
    assert.equal((await calls.ask(session)).headers.get('range'), `bytes=0-${block - 1}`)
  })

  test('rate limits have their reasons, and Retry-After if configured', async () => {
    const expected: readonly (readonly [FaultName, number, string | null])[] = [
      ['rate-403-user', 403, null],
      ['rate-403-project', 403, null],
      ['rate-429', 429, null],
      ['rate-429-retry-after', 429, '1'],
      ['server-503', 503, null],
    ]
    for (const [name, status, retryAfter] of expected) {
      emulator.faults.next({ on: 'any', do: name })
      const reply = await calls.api('files/root')
      assert.equal(reply.status, status)
      assert.equal(reply.headers.get('retry-after'), retryAfter)
    }
  })

  test('faults skip and repeat as configured', async () => {
    emulator.faults.next({ on: ['get', 'list'], do: 'server-503', after: 1, times: 2 })
    const statuses: number[] = []
    for (const path of ['files/root', 'files', 'about?fields=user', 'files/root', 'files']) {
      statuses.push((await calls.api(path)).status)
    }
    assert.deepEqual(statuses, [200, 503, 200, 503, 200])
    assert.equal(emulator.faults.struck.length, 2)
  })

  test('truncate-download and damage-download change the bytes received', async () => {
    emulator.faults.next({ on: 'download', do: 'truncate-download', bytes: 1000 })
    await assert.rejects(calls.api(`files/${file}?alt=media`))
    emulator.faults.next({ on: 'download', do: 'damage-download' })
    const damaged = await calls.api(`files/${file}?alt=media`)
    assert.equal(damaged.bytes.length, bytes.length)
    assert.notEqual(md5Of(damaged.bytes), md5Of(bytes))
  })

  test("run calls a test's function between request and reply", async () => {
    emulator.faults.next({
      on: 'get',
      do: 'run',
      run: ({ id }) => emulator.byHand.rename(id, 'by run'),
    })
    assert.equal((await calls.api(`files/${file}`)).json.name, 'by run')
  })

  test('quota units per minute are limited if configured', async () => {
    emulator.meter.unitsPerMinute = 10
    assert.equal(await outcomeOf(() => calls.api(`files/${file}/bogus`)), '404 notFound')
    assert.equal((await calls.api('files/root')).status, 200)
    assert.equal((await calls.api('files/root')).status, 200)
    assert.equal(await outcomeOf(() => calls.api('files/root')), '403 userRateLimitExceeded')
    emulator.clock.advance(60_000)
    assert.equal((await calls.api('files/root')).status, 200)
    emulator.meter.unitsPerMinute = undefined
  })
})

test('latency and link speed are as configured', async () => {
  const emulator = await startGoogleEmulator({ latencyMs: 50, bytesPerSecond: 4_000_000 })
  const calls = new GoogleCalls(emulator)
  const id = await emulator.byHand.file('big', testBytes('link', 1_000_000))
  const takes = (wantedMs: number, work: () => Promise<unknown>) =>
    assertWithin(wantedMs + 400, async () => {
      const startedAt = performance.now()
      await work()
      const tookMs = performance.now() - startedAt
      assert.ok(tookMs > 0.9 * wantedMs, `${tookMs} ms, wanted ${wantedMs}`)
      return tookMs
    })
  await takes(50, () => calls.api('files/root'))
  await takes(300, () => calls.api(`files/${id}?alt=media`))
  const body = testBytes('up', 1_000_000)
  await takes(300, () => calls.upload('files?uploadType=media', { method: 'POST', body }))
  await emulator.close()
})

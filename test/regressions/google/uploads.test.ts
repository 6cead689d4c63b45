/** Bytes in transit to Google's resumable sessions. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bucket,
  bytesOf,
  get,
  getText,
  listKeys,
  put,
  rejectsAs,
  writeChunks,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import {
  driveFolder,
  folderAt,
  type GoogleDrive,
  leftoversIn,
} from '../../contract/google-drive-under-test.ts'
import type { FaultRule } from '../../fakes/google/fault-effects.ts'
import { shareOf } from '../../support/test-groups.ts'
import { assertCompletes, type Scene, scene } from './upload-scene.ts'

const mib = 1024 * 1024
const week = 7 * 24 * 3_600_000
const key = 'f/upload'

/** Sends this many bytes of a part before its client disconnects. */
async function vanish(session: UploadSession, bytes: Buffer, sent: number): Promise<void> {
  const part = await session.startAppend(bytes.length)
  await writeChunks(part, bytes.subarray(0, sent))
  await part.discard()
}

describe('an upload', () => {
  test('needs one call for each part, and three for its beginning and end', async (t) => {
    const it = await scene(t)
    await put(it.drive, 'f/other', 'x')
    await it.drive.copy?.(
      { bucket, key: 'f/other', etag: '9dd4e461268c8034f5c8564e155c67a6' },
      { bucket, key: 'f/copy' },
      { attributes: { etag: '9dd4e461268c8034f5c8564e155c67a6', headers: {}, metadata: {} } },
    )
    it.emulator.counters.reset()
    const session = await UploadSession.begin(it.drive, key)
    for (let number = 1; number <= 4; number++) await session.append(bytesOf(5 * mib + 7, number))
    await session.append(bytesOf(1000, 5))
    await session.complete()
    const { calls } = it.emulator.counters
    // The free space for large writes is checked periodically.
    assert.deepEqual(calls, { about: 1, init: 1, chunk: 4, lastChunk: 1, update: 1 })
  })

  test('of parts that are whole blocks ends without further bytes', async (t) => {
    const it = await scene(t)
    const session = await UploadSession.begin(it.drive, key)
    for (let number = 1; number <= 2; number++) await session.append(bytesOf(mib, number))
    await assertCompletes(session, it)
  })

  test('of less than a block needs one call, at its end', async (t) => {
    const it = await scene(t)
    await put(it.drive, 'f/other', 'x')
    it.emulator.counters.reset()
    const session = await UploadSession.begin(it.drive, key)
    for (let number = 1; number <= 3; number++) await session.append(bytesOf(50_000, number))
    assert.deepEqual(it.emulator.counters.calls, {})
    await session.complete()
    assert.deepEqual(it.emulator.counters.calls, { multipart: 1 })
  })
})

describe('a client that disconnects during a part', () => {
  const first = bytesOf(600_001, 1)
  // Large enough that many of the bytes written have been sent.
  const part = bytesOf(20 * mib + 5, 2)

  test('may send the same bytes again: Google gets only those it lacks', async (t) => {
    const it = await scene(t)
    const session = await UploadSession.begin(it.drive, key)
    await session.append(first)
    for (const sent of [12 * mib, 18 * mib, 100, 20 * mib]) await vanish(session, part, sent)
    await session.append(part)
    assert.equal(it.emulator.counters.calls.init, 1)
    await assertCompletes(session, it)
    assert.ok(it.emulator.counters.bytesIn < 2 * part.length)
  })

  const others: [string, Buffer][] = [
    ['of the same length', bytesOf(part.length, 3)],
    ['that begin alike', Buffer.concat([part.subarray(0, 4 * mib), bytesOf(9 * mib, 4)])],
    ['and fewer', part.subarray(0, 2 * mib + 1)],
    ['of less than a block', bytesOf(1000, 5)],
  ]
  for (const [name, other] of others) {
    test(`may send other bytes, ${name}`, async (t) => {
      const it = await scene(t)
      const session = await UploadSession.begin(it.drive, key)
      await session.append(first)
      await vanish(session, part, 17 * mib)
      await session.append(other)
      await session.append(first)
      await assertCompletes(session, it)
    })
  }

  test('may complete the upload without the part', async (t) => {
    const it = await scene(t)
    const session = await UploadSession.begin(it.drive, key)
    await session.append(first)
    await vanish(session, part, 17 * mib)
    await assertCompletes(session, it)
  })

  test('may abandon the first part', async (t) => {
    const it = await scene(t)
    const session = await UploadSession.begin(it.drive, key)
    await vanish(session, part, 17 * mib)
    await assertCompletes(session, it)
    assert.equal(session.bytes.length, 0)
  })

  test('and sends other bytes for an existing object gets upload-gone', async (t) => {
    const it = await scene(t)
    await put(it.drive, key, 'old')
    const session = await UploadSession.begin(it.drive, key)
    await session.append(first)
    await vanish(session, part, 17 * mib)
    await rejectsAs(session.append(bytesOf(part.length, 3)), 'upload-gone')
    assert.equal(await getText(it.drive, key), 'old')
    await rejectsAs(session.complete(), 'upload-gone')
    assert.equal(await getText(it.drive, key), 'old')
    await session.append(part)
    await assertCompletes(session, it)
  })
})

describe('bytes in transit', () => {
  const sessionFaults: FaultRule[] = [
    ...(['init', 'chunk', 'lastChunk', 'update'] as const).flatMap((on) =>
      (
        [
          'drop-before',
          'drop-after-commit',
          'server-503',
          'rate-403-user',
          'expired-token',
        ] as const
      ).map((fault) => ({ on, do: fault })),
    ),
    ...(['chunk', 'lastChunk'] as const).flatMap((on) =>
      (
        [
          'persist-prefix-then-drop',
          'persist-less',
          'persist-nothing',
          'expired-token-mid-body',
        ] as const
      ).map((fault) => ({ on, do: fault })),
    ),
    { on: 'chunk', do: 'persist-prefix-then-drop', bytes: 5_000_000, times: 2 },
    { on: 'chunk', do: 'persist-less', bytes: 2_000_000, times: 3 },
    { on: 'multipart', do: 'drop-after-commit' },
    { on: 'multipart', do: 'persist-prefix-then-drop' },
    { on: 'multipart', do: 'damage-upload' },
  ]
  for (const rule of shareOf(sessionFaults, 3)) {
    // Enough for all attributes, and no more.
    const size = rule.times === undefined ? 5 * mib + 3 : 11 * mib + 3
    const what = `${rule.do} of ${String(rule.on)}${rule.times ? `, ${rule.times} times` : ''}`
    test(`arrive complete: ${what}`, async (t) => {
      const it = await scene(t)
      const { emulator, drive } = it
      const isSmall = rule.on === 'multipart'
      const bytes = bytesOf(isSmall ? mib : size, 1)
      await put(drive, 'over', 'old')
      for (const name of ['new', 'over']) {
        emulator.faults.next(rule)
        await retried(() => put(drive, name, bytes))
        assert.ok((await get(drive, name))?.equals(bytes))
        await drive.refresh()
        assert.ok((await get(drive, name))?.equals(bytes), 'later')
        assert.ok(emulator.faults.isSpent, 'the fault has struck')
      }
      if (!isSmall) await uploadUnder(rule, it, bytes)
      assert.deepEqual(await listKeys(drive), isSmall ? ['new', 'over'] : [key, 'new', 'over'])
    })
  }

  test('that arrive damaged never become an object', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    const session = await UploadSession.begin(drive, key)
    await session.append(bytesOf(mib, 1))
    emulator.faults.next({ on: 'chunk', do: 'damage-upload' })
    await session.append(bytesOf(mib, 2))
    await rejectsAs(session.complete(), 'unavailable')
    assert.equal(await drive.head(bucket, key), undefined)
    await rejectsAs(session.complete(), 'upload-gone')
    await rejectsAs(session.append(bytesOf(mib, 2)), 'upload-gone')
    assert.equal(await drive.uploads.isPublished(session.state), false)
    await session.abort()
    assert.deepEqual(leftoversIn(emulator), [])
    emulator.faults.next({ on: 'chunk', do: 'damage-upload' })
    await rejectsAs(put(drive, key, bytesOf(6 * mib, 3)), 'unavailable')
    assert.equal(await drive.head(bucket, key), undefined)
    assert.deepEqual(leftoversIn(emulator), [])
  })

  for (const size of [0, 1000, 5 * mib]) {
    test(`that arrive damaged leave the existing object (${size} bytes)`, async (t) => {
      const it = await scene(t)
      const { drive, emulator } = it
      const attributes = { metadata: { of: 'the old bytes' } }
      const old = bytesOf(size, 7)
      await put(drive, key, old, { attributes })
      const assertOld = async () => {
        assert.ok((await get(drive, key))?.equals(old))
        assert.deepEqual((await drive.head(bucket, key))?.attributes.metadata, attributes.metadata)
      }
      emulator.faults.next({ on: 'chunk', do: 'damage-upload' })
      await rejectsAs(put(drive, key, bytesOf(6 * mib, 3)), 'unavailable')
      await assertOld()
      emulator.faults.next({ on: 'multipart', do: 'damage-upload', times: 3 })
      await rejectsAs(put(drive, key, bytesOf(200_000, 3)), 'unavailable')
      await assertOld()
      const session = await UploadSession.begin(drive, key)
      emulator.faults.next({ on: 'lastChunk', do: 'damage-upload' })
      await session.append(bytesOf(mib + 1, 2))
      await rejectsAs(session.complete(), 'unavailable')
      await assertOld()
      await drive.refresh()
      await assertOld()
      await rejectsAs(session.complete(), 'upload-gone')
      const [file] = emulator.byHand
        .children(folderAt(emulator, `${driveFolder}/${bucket}/f`))
        .filter((child) => !child.isTrashed)
      assert.equal(
        file?.revisions.some((revision) => revision.isKept),
        false,
      )
      assert.deepEqual(it.warnings, [])
    })
  }
})

describe("attributes that fill the file's properties", () => {
  const long = { metadata: { of: 'the old bytes', long: 'x'.repeat(2800) } }
  const attributes = { metadata: { of: 'the new bytes', long: 'y'.repeat(2800) } }
  const [old, fresh] = [bytesOf(1000, 7), bytesOf(6 * mib + 1, 3)]
  const assertIs = async (drive: GoogleDrive, bytes: Buffer, more: typeof long) => {
    for (const when of ['now', 'later']) {
      assert.ok((await get(drive, key))?.equals(bytes), when)
      assert.deepEqual((await drive.head(bucket, key))?.attributes.metadata, more.metadata, when)
      await drive.refresh()
    }
  }

  for (const on of ['update', 'lastChunk'] as const) {
    test(`stay when the ${on} of other bytes is rejected`, async (t) => {
      const { drive, emulator } = await scene(t)
      await put(drive, key, old, { attributes: long })
      emulator.faults.next({ on, do: 'denied' })
      await rejectsAs(put(drive, key, fresh, { attributes }), 'denied')
      await assertIs(drive, old, long)
      await put(drive, key, fresh, { attributes })
      await assertIs(drive, fresh, attributes)
    })
  }

  test('are changed with the bytes in one step', async (t) => {
    const { drive, emulator } = await scene(t)
    await put(drive, key, old, { attributes: long })
    emulator.faults.next({ on: 'update', after: 1, do: 'denied' })
    await put(drive, key, fresh, { attributes })
    assert.equal(emulator.faults.isSpent, false, 'one update, before the bytes')
    await assertIs(drive, fresh, attributes)
  })
})

async function uploadUnder(rule: FaultRule, { emulator, drive }: Scene, bytes: Buffer) {
  emulator.faults.next(rule)
  const session = await UploadSession.begin(drive, key)
  for (const part of [bytes, bytes.subarray(7)]) await retried(() => session.append(part))
  await retried(() => session.complete())
  assert.ok(emulator.faults.isSpent, 'the fault has struck')
  assert.ok((await get(drive, key))?.equals(session.bytes))
  await drive.refresh()
  assert.ok((await get(drive, key))?.equals(session.bytes), 'later')
}

/** Tries three times, as a client does. */
async function retried<R>(work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

describe('a session that Google forgets', () => {
  test('causes an error, and nothing of it becomes an object', async (t) => {
    const it = await scene(t)
    const session = await UploadSession.begin(it.drive, key)
    await session.append(bytesOf(mib, 1))
    it.emulator.clock.advance(week)
    await rejectsAs(session.append(bytesOf(mib, 2)), 'upload-gone')
    await rejectsAs(session.complete(), 'upload-gone')
    assert.equal(await it.drive.head(bucket, key), undefined)
    await session.abort()
  })

  test('before a part was committed is replaced', async (t) => {
    const it = await scene(t)
    const session = await UploadSession.begin(it.drive, key)
    await vanish(session, bytesOf(20 * mib, 1), 17 * mib)
    it.emulator.clock.advance(week)
    await session.append(bytesOf(mib, 2))
    assert.ok(await session.complete())
    assert.ok((await get(it.drive, key))?.equals(session.bytes))
  })
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Drive, UploadDrive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import type { PartMemory } from '../../../../../src/storage/drives/upload-abilities.ts'
import {
  PayloadWriter,
  payloadBlockBytes,
} from '../../../../../src/storage/s3/body/payload-writer.ts'
import {
  type EarlyEvent,
  EarlyPart,
  nextState,
  PartBuffer,
  type PartSource,
} from '../../../../../src/storage/s3/multipart/early-part.ts'
import type { Uploads } from '../../../../../src/storage/s3/multipart/uploads.ts'
import { PoisonedPool } from '../../../../support/poisoned-pool.ts'
import { sha256Of, testBytes } from '../../../../support/test-bytes.ts'
import { isS3Error } from '../read-fixture.ts'
import {
  begin,
  listOf,
  makeWorld,
  md5,
  never,
  partOf,
  slowPart,
  textOf,
  type World,
} from '../write-fixture.ts'

const content = testBytes('early', 3 * 1024 * 1024 + 5)

/** Like the body of a request: in pieces, gathered in two blocks that are filled in turn. */
function sourceOf(bytes: Uint8Array): PartSource {
  return {
    size: bytes.length,
    signal: new AbortController().signal,
    async pour(sink, algorithm) {
      const writer = new PayloadWriter(sink, algorithm, bytes.length)
      for (let at = 0; at < bytes.length; at += 50_000) {
        await writer.write(bytes.subarray(at, at + 50_000))
      }
      return await writer.finish()
    },
  }
}

test('An early part keeps its bytes while buffers go back to the pool', async () => {
  const pool = new PoisonedPool(payloadBlockBytes, 4)
  const memory = { take: () => true, give: () => undefined }
  const [first, second] = [1, 2].map((number) => {
    const part = new EarlyPart(number, sourceOf(content))
    part.read({ memory, pool }, undefined)
    return part
  })
  assert.ok(first && second)
  await turnOfTheLoop()
  const pours = [first, second].map(async (part) => {
    part.begin()
    const chunks: Buffer[] = []
    const sink = {
      write: async (chunk: Uint8Array) => {
        // A drive may use the chunk until its promise is settled.
        await turnOfTheLoop()
        await turnOfTheLoop()
        chunks.push(Buffer.from(chunk))
      },
    }
    const { size } = await part.pour(sink, undefined)
    assert.equal(size, content.length)
    part.leave()
    return sha256Of(Buffer.concat(chunks))
  })
  assert.deepEqual(await Promise.all(pours), [sha256Of(content), sha256Of(content)])
})

test('A part buffer keeps a chunk larger than its buffers in buffers of the pool', async () => {
  const pool = new PoisonedPool(payloadBlockBytes, 8)
  const memory = { take: () => true, give: () => undefined }
  const buffer = new PartBuffer({ memory, pool }, content.length)
  const chunk = Buffer.from(content)
  await buffer.write(chunk)
  chunk.fill(0xdd)
  const chunks: Buffer[] = []
  await buffer.drain({ write: async (bytes) => void chunks.push(Buffer.from(bytes)) })
  assert.equal(sha256Of(Buffer.concat(chunks)), sha256Of(content))
  const sizes = chunks.map(({ length }) => length)
  assert.deepEqual(sizes, [...Array.from({ length: 12 }, () => payloadBlockBytes), 5])
})

const histories: readonly (readonly [events: readonly EarlyEvent[], state: string])[] = [
  [[], 'unread'],
  [['turn'], 'fromSocket'],
  [['turn', 'memory', 'join', 'error'], 'fromSocket'],
  [['memory'], 'buffering'],
  [['memory', 'join'], 'buffering'],
  [['memory', 'error'], 'failed'],
  [['memory', 'error', 'turn'], 'failed'],
  [['memory', 'turn'], 'catchingUp'],
  [['memory', 'turn', 'error'], 'catchingUp'],
  [['memory', 'turn', 'last byte'], 'fromMemory'],
  [['memory', 'last byte'], 'buffered'],
  [['memory', 'last byte', 'turn'], 'fromMemory'],
  [['memory', 'last byte', 'turn', 'join'], 'fromMemory'],
  [['memory', 'last byte', 'join'], 'joined'],
  [['memory', 'last byte', 'join', 'turn'], 'joined'],
  [['memory', 'leave', 'last byte', 'error', 'turn', 'join'], 'left'],
]

for (const [events, state] of histories) {
  test(`An early part is ${state} after: ${events.join(', ') || 'its arrival'}`, () => {
    assert.equal(events.reduce(nextState, 'unread'), state)
  })
}

/** A drive with memory for this many bytes of parts, which records the size of each append. */
class RoomyDrive {
  readonly drive: Drive
  /** The sizes with which appends began. */
  readonly appended: (number | undefined)[] = []
  held = 0
  /** The error with which the next commit fails. */
  failure: Error | undefined

  constructor(drive: Drive, totalBytes: number) {
    const { uploads } = drive
    const partMemory: PartMemory = {
      take: (bytes) => {
        if (this.held + bytes > totalBytes) return false
        this.held += bytes
        return true
      },
      give: (bytes) => {
        this.held -= bytes
      },
    }
    const roomy: UploadDrive = {
      abilities: (state) => ({ ...uploads.abilities(state), replaceLast: false, partMemory }),
      replaceLast: (...values) => uploads.replaceLast(...values),
      begin: (...values) => uploads.begin(...values),
      append: async (state, options) => {
        this.appended.push(options.size)
        const draft = await uploads.append(state, options)
        return {
          write: (chunk) => draft.write(chunk),
          discard: () => draft.discard(),
          commit: async () => {
            const { failure } = this
            this.failure = undefined
            if (failure !== undefined) throw failure
            return await draft.commit()
          },
        }
      },
      complete: (...values) => uploads.complete(...values),
      isPublished: (state) => uploads.isPublished(state),
      abort: (state) => uploads.abort(state),
      sweep: (...values) => uploads.sweep(...values),
    }
    this.drive = new Proxy(drive, {
      get: (_, name) => {
        if (name === 'uploads') return roomy
        const member: unknown = Reflect.get(drive, name)
        return typeof member === 'function' ? member.bind(drive) : member
      },
    })
  }
}

interface Scene extends World {
  readonly roomy: RoomyDrive
  readonly uploads: Uploads
  readonly name: Awaited<ReturnType<typeof begin>>
  /** Part 1, being received: parts that arrive meanwhile wait. */
  readonly first: ReturnType<typeof slowPart>
  readonly firstDone: Promise<unknown>
}

const firstBytes = 'part one'

async function scene(t: TestContext, totalBytes = 1_000): Promise<Scene> {
  const world = await makeWorld(t)
  const roomy = new RoomyDrive(world.drive, totalBytes)
  const uploads = world.worker({ drive: roomy.drive })
  const name = await begin(uploads)
  const first = slowPart(firstBytes)
  const firstDone = uploads.writePart(name, 1, first.source)
  firstDone.catch(() => undefined)
  await first.started
  return { ...world, roomy, uploads, name, first, firstDone }
}

/** Resolves when this many bytes are buffered. */
async function untilHeld({ roomy }: Scene, bytes: number): Promise<void> {
  while (roomy.held !== bytes) await turnOfTheLoop()
}

async function assertObject(it: Scene, parts: readonly string[]): Promise<void> {
  await it.uploads.complete(it.name, listOf(parts), never)
  assert.equal(await textOf(it.drive), parts.join(''))
  assert.equal(it.roomy.held, 0)
}

test('UploadPart writes early parts to the drive together', async (t) => {
  const it = await scene(t)
  const rest = ['two', 'three', 'four', 'five']
  const done = rest.map((bytes, index) => it.uploads.writePart(it.name, index + 2, partOf(bytes)))
  await untilHeld(it, rest.join('').length)
  it.first.proceed()
  const uploaded = await Promise.all(done)
  assert.deepEqual(
    uploaded.map(({ number, etag, size }) => ({ number, etag, size })),
    rest.map((bytes, index) => ({ number: index + 2, etag: md5(bytes), size: bytes.length })),
  )
  assert.deepEqual(it.roomy.appended, [undefined, rest.join('').length])
  const { parts } = await it.uploads.listParts(it.name, { after: 0, limit: 10 }, never)
  assert.deepEqual(
    parts.map(({ number }) => number),
    [1, 2, 3, 4, 5],
  )
  await assertObject(it, [firstBytes, ...rest])
})

test('UploadPart does not write a part that follows a gap', async (t) => {
  const it = await scene(t)
  const third = it.uploads.writePart(it.name, 3, partOf('three'))
  await untilHeld(it, 5)
  it.first.proceed()
  await it.firstDone
  await it.uploads.writePart(it.name, 2, partOf('two'))
  await third
  assert.deepEqual(it.roomy.appended, [undefined, 3, 5])
  await assertObject(it, [firstBytes, 'two', 'three'])
})

test('UploadPart does not read a part in advance until there is memory for it', async (t) => {
  const it = await scene(t, 10)
  const reads: number[] = []
  const watched = (number: number, bytes: string): PartSource => {
    const { pour, ...source } = partOf(bytes)
    return {
      ...source,
      pour: (...values) => {
        reads.push(number)
        return pour(...values)
      },
    }
  }
  const parts = ['a'.repeat(8), 'b'.repeat(8), 'c'.repeat(20), 'd'.repeat(2)]
  const done = parts.map((bytes, index) =>
    it.uploads.writePart(it.name, index + 2, watched(index + 2, bytes)),
  )
  await untilHeld(it, 10)
  assert.deepEqual(reads, [2, 5])
  it.first.proceed()
  await Promise.all(done)
  assert.deepEqual([...reads].sort(), [2, 3, 4, 5])
  await assertObject(it, [firstBytes, ...parts])
})

test('UploadPart writes the next part even when others use all memory', async (t) => {
  const it = await scene(t, 10)
  const other = { ...it.name, uploadId: (await begin(it.uploads)).uploadId }
  const filler = it.uploads.writePart(it.name, 2, partOf('x'.repeat(10)))
  await untilHeld(it, 10)
  await it.uploads.writePart(other, 1, partOf('y'.repeat(50)))
  it.first.proceed()
  await filler
  await assertObject(it, [firstBytes, 'x'.repeat(10)])
})

test('UploadPart of a client that disconnects while waiting does not affect other parts', async (t) => {
  const it = await scene(t)
  const client = new AbortController()
  const gone = it.uploads.writePart(it.name, 3, partOf('lost', client.signal))
  const second = it.uploads.writePart(it.name, 2, partOf('two'))
  await untilHeld(it, 7)
  client.abort()
  await assert.rejects(gone, isS3Error('IncompleteBody'))
  assert.equal(it.roomy.held, 3)
  it.first.proceed()
  await second
  await it.uploads.writePart(it.name, 3, partOf('sent again'))
  await assertObject(it, [firstBytes, 'two', 'sent again'])
})

test('UploadPart refuses wrong bytes without waiting for its turn', async (t) => {
  const it = await scene(t)
  const wrong = new Error('wrong digest')
  const source: PartSource = { size: 4, signal: never, pour: () => Promise.reject(wrong) }
  await assert.rejects(it.uploads.writePart(it.name, 2, source), wrong)
  assert.equal(it.roomy.held, 0)
  it.first.proceed()
  await it.firstDone
  await assertObject(it, [firstBytes])
})

test('UploadPart sent again with other bytes replaces the waiting part', async (t) => {
  const it = await scene(t)
  const older = it.uploads.writePart(it.name, 2, partOf('older'))
  await untilHeld(it, 5)
  const newer = it.uploads.writePart(it.name, 2, partOf('newer!'))
  const third = it.uploads.writePart(it.name, 3, partOf('three'))
  await untilHeld(it, 16)
  // Either request for part 2 may get the turn; the bytes of the other one are compared.
  it.first.proceed()
  const [one, two] = await Promise.allSettled([older, newer])
  await third
  assert.deepEqual([one.status, two.status].sort(), ['fulfilled', 'rejected'])
  const [won, lost] = one.status === 'fulfilled' ? ['older', two] : ['newer!', one]
  assert.ok(lost.status === 'rejected' && isS3Error('SlowDown')(lost.reason))
  await assertObject(it, [firstBytes, won, 'three'])
})

test('AbortMultipartUpload releases waiting parts', async (t) => {
  const it = await scene(t)
  const held = [2, 3].map((number) => it.uploads.writePart(it.name, number, partOf('held')))
  const outcomes = Promise.allSettled(held)
  await untilHeld(it, 8)
  const aborted = it.uploads.abort(it.name, never)
  for (const outcome of await outcomes) {
    assert.ok(outcome.status === 'rejected' && isS3Error('NoSuchUpload')(outcome.reason))
  }
  assert.equal(it.roomy.held, 0)
  it.first.proceed()
  await aborted
  await assert.rejects(it.firstDone)
})

test('UploadPart fails every part of a joint write that fails', async (t) => {
  const it = await scene(t)
  const bytes = ['two', 'three', 'four']
  const send = () => bytes.map((text, at) => it.uploads.writePart(it.name, at + 2, partOf(text)))
  const outcomes = Promise.allSettled(send())
  await untilHeld(it, bytes.join('').length)
  it.first.proceed()
  await it.firstDone
  const failure = new DriveError('unavailable', 'Google is down')
  it.roomy.failure = failure
  for (const outcome of await outcomes) {
    assert.ok(outcome.status === 'rejected' && outcome.reason === failure)
  }
  assert.equal(it.roomy.held, 0)
  await Promise.all(send())
  await assertObject(it, [firstBytes, ...bytes])
})

test('UploadPart alternates between two workers with waiting parts', async (t) => {
  const it = await scene(t)
  const other = it.worker({ drive: new RoomyDrive(it.drive, 1_000).drive })
  const parts = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(20))
  const done = parts.map((bytes, index) =>
    (index % 3 === 0 ? other : it.uploads).writePart(it.name, index + 2, partOf(bytes)),
  )
  it.first.proceed()
  await Promise.all(done)
  await assertObject(it, [firstBytes, ...parts])
})

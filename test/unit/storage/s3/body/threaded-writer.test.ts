import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import {
  PayloadDigester,
  type PayloadSink,
  payloadBlockBytes,
} from '../../../../../src/storage/s3/body/payload-writer.ts'
import {
  largeBlockBytes,
  maxLargeWriters,
  ThreadedWriter,
} from '../../../../../src/storage/s3/body/threaded-writer.ts'
import { sha256Of, testBytes } from '../../../../support/test-bytes.ts'

/** The digest thread, which all writers use. */
let lastThread: Worker | undefined
process.on('worker', (worker) => {
  lastThread = worker
})

const content = testBytes('threaded', 11 * payloadBlockBytes + 4_321)

/** Reads each chunk late, and never has two at a time. */
class LateSink implements PayloadSink {
  readonly chunks: Buffer[] = []
  #isWriting = false

  async write(chunk: Uint8Array): Promise<void> {
    assert.ok(!this.#isWriting)
    this.#isWriting = true
    for (let turn = 0; turn < this.chunks.length % 4; turn++) await turnOfTheLoop()
    this.chunks.push(Buffer.from(chunk))
    this.#isWriting = false
  }
}

async function writeIn(
  writer: ThreadedWriter,
  pieceBytes: number,
  bytes: Buffer = content,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    await writer.write(bytes.subarray(at, at + pieceBytes))
  }
}

for (const pieceBytes of [65_536, 100_003, payloadBlockBytes, 3 * payloadBlockBytes + 1]) {
  test(`ThreadedWriter writes and digests several payloads at a time, in pieces of ${pieceBytes} bytes`, async () => {
    const algorithms = [undefined, 'CRC32', 'CRC64NVME', 'SHA256'] as const
    const writing = algorithms.map(async (algorithm) => {
      const sink = new LateSink()
      const writer = new ThreadedWriter(sink, algorithm, content.length)
      await writeIn(writer, pieceBytes)
      const digest = await writer.finish()
      await writer.idle()
      const expected = new PayloadDigester(algorithm)
      expected.update(content)
      assert.deepEqual(digest, expected.digest())
      assert.equal(sha256Of(Buffer.concat(sink.chunks)), sha256Of(content))
    })
    await Promise.all(writing)
  })
}

for (const pieceBytes of [16_384, 100_003, 3 * largeBlockBytes + 1]) {
  test(`ThreadedWriter writes a large payload in large blocks, in pieces of ${pieceBytes} bytes`, async () => {
    const bytes = testBytes('large', 9 * largeBlockBytes + 4_321)
    const sink = new LateSink()
    const writer = new ThreadedWriter(sink, 'CRC32', bytes.length)
    await writeIn(writer, pieceBytes, bytes)
    const digest = await writer.finish()
    const expected = new PayloadDigester('CRC32')
    expected.update(bytes)
    assert.deepEqual(digest, expected.digest())
    assert.equal(sha256Of(Buffer.concat(sink.chunks)), sha256Of(bytes))
    assert.deepEqual(
      sink.chunks.map(({ length }) => length),
      [...Array.from({ length: 9 }, () => largeBlockBytes), 4_321],
    )
  })
}

/** Bytes of the blocks of a writer that was just created. */
async function blockBytesOf(writer: ThreadedWriter, sink: LateSink): Promise<number | undefined> {
  await writer.write(content)
  await writer.idle()
  return sink.chunks[0]?.length
}

test('ThreadedWriter has small blocks while many writers have large ones', async () => {
  const create = () => new ThreadedWriter(new LateSink(), undefined, 64 * largeBlockBytes)
  const blockBytes = async () => {
    const sink = new LateSink()
    return await blockBytesOf(new ThreadedWriter(sink, undefined, 64 * largeBlockBytes), sink)
  }
  const [first, second, ...others] = Array.from({ length: maxLargeWriters }, create)
  assert.equal(await blockBytes(), payloadBlockBytes)
  await first?.finish()
  await first?.idle()
  assert.equal(await blockBytes(), largeBlockBytes)
  assert.equal(await blockBytes(), largeBlockBytes)
  await Promise.all([second, ...others].map((writer) => writer?.idle()))
  const sink = new LateSink()
  const small = new ThreadedWriter(sink, undefined, content.length)
  assert.equal(await blockBytesOf(small, sink), payloadBlockBytes)
})

test('ThreadedWriter digests an empty payload', async () => {
  const sink = new LateSink()
  const digest = await new ThreadedWriter(sink, undefined).finish()
  assert.deepEqual(digest, { size: 0, md5Hex: 'd41d8cd98f00b204e9800998ecf8427e' })
  assert.deepEqual(sink.chunks, [])
})

test('ThreadedWriter rejects with the error of its sink, and is idle once its write has ended', async () => {
  const failing = Promise.withResolvers<void>()
  let writes = 0
  const write = () => {
    writes += 1
    return writes < 3 ? Promise.resolve() : failing.promise
  }
  const writer = new ThreadedWriter({ write }, 'CRC32', content.length)
  const written = writeIn(writer, 65_536)
  let isIdle = false
  const rejected = assert.rejects(written, { message: 'full' })
  while (writes < 3) await turnOfTheLoop()
  const idle = writer.idle().then(() => {
    isIdle = true
  })
  await turnOfTheLoop()
  assert.equal(isIdle, false)
  failing.reject(new Error('full'))
  await rejected
  await idle
  assert.equal(writes, 3)
})

test('ThreadedWriter holds at most three blocks for a slow sink', async () => {
  const open = Promise.withResolvers<void>()
  const writer = new ThreadedWriter({ write: () => open.promise }, undefined, content.length)
  let taken = 0
  const writing = (async () => {
    for (let at = 0; at < content.length; at += 65_536) {
      await writer.write(content.subarray(at, at + 65_536))
      taken = at
    }
  })()
  for (let turn = 0; turn < 100; turn++) await turnOfTheLoop()
  assert.ok(taken < 3 * payloadBlockBytes)
  open.resolve()
  await writing
  assert.equal((await writer.finish()).size, content.length)
})

test('ThreadedWriter rejects when its thread ended between two blocks', async () => {
  const sink = { write: () => Promise.resolve() }
  const writer = new ThreadedWriter(sink, undefined, content.length)
  await writeIn(writer, 65_536, content.subarray(0, 4 * payloadBlockBytes))
  await turnOfTheLoop()
  // The thread answers in order: then it has digested all blocks.
  await new ThreadedWriter(sink, undefined).finish()
  await lastThread?.terminate()
  await writeIn(writer, 65_536, content.subarray(4 * payloadBlockBytes))
  await assert.rejects(writer.finish(), { code: 'EIO' })
  await writer.idle()
})

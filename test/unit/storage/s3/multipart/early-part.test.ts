import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import {
  PayloadWriter,
  payloadBlockBytes,
} from '../../../../../src/storage/s3/body/payload-writer.ts'
import {
  type EarlyEvent,
  EarlyPart,
  nextState,
  type PartSource,
} from '../../../../../src/storage/s3/multipart/early-part.ts'
import { PartBuffer } from '../../../../../src/storage/s3/multipart/part-buffer.ts'
import { PoisonedPool } from '../../../../support/poisoned-pool.ts'
import { sha256Of, testBytes } from '../../../../support/test-bytes.ts'

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

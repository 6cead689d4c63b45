import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { PayloadWriter } from '../../../../src/s3/body/payload-writer.ts'
import { EarlyPart, earlyChunkBytes } from '../../../../src/s3/multipart/early-part.ts'
import type { PartSource } from '../../../../src/s3/multipart/part-source.ts'
import { PoisonedPool } from '../../../support/poisoned-pool.ts'
import { sha256Of, testBytes } from '../../../support/test-bytes.ts'

const content = testBytes('early', 3 * 1024 * 1024 + 5)

/** As the body of a request comes: in pieces, gathered in two blocks that are filled in turn. */
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
  const pool = new PoisonedPool(earlyChunkBytes, 4)
  const memory = { take: () => true, give: () => undefined }
  const [first, second] = [1, 2].map((number) => {
    const part = new EarlyPart(number, sourceOf(content), { memory, pool })
    part.read(undefined)
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
    part.close()
    return sha256Of(Buffer.concat(chunks))
  })
  assert.deepEqual(await Promise.all(pours), [sha256Of(content), sha256Of(content)])
})

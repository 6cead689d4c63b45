import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { PartDraft } from '../../../src/storage/drives/drive.ts'
import type { DriveSuite } from './drive-suite.ts'
import { attributesOf, bucket, bytesOf, put } from './stored-object.ts'
import { UploadSession } from './upload-session.ts'

const mib = 1024 * 1024

/** Sizes around the limits of small objects, chunks and streamed bodies. */
const sizes = [1000, 64 * 1024, 300_001, 9 * mib + 5]

/** Who owns the bytes of a chunk, and until when. */
export function chunkCases(suite: DriveSuite): void {
  describe('a chunk that was read', () => {
    for (const size of sizes) {
      suite.it(
        `of ${size} bytes stays unchanged for a receiver that reads ahead`,
        async ({ drive }) => {
          const bytes = bytesOf(size)
          await put(drive, 'k', bytes)
          const object = await drive.open(bucket, 'k')
          assert.ok(object)
          const kept: Uint8Array[] = []
          const hashes: string[] = []
          for await (const chunk of object.read(0, size)) {
            kept.push(chunk)
            hashes.push(sha256Of(chunk))
          }
          await object.close()
          // Another object is read through the same drive before the first one is checked.
          await put(drive, 'other', bytesOf(size, 99))
          const other = await drive.open(bucket, 'other')
          for await (const chunk of other?.read(0, size) ?? []) assert.ok(chunk.length > 0)
          await other?.close()
          assert.deepEqual(kept.map(sha256Of), hashes)
          assert.equal(sha256Of(Buffer.concat(kept)), sha256Of(bytes))
        },
      )
    }
  })

  describe('a chunk that was written', () => {
    for (const size of sizes) {
      suite.it(`of ${size} bytes in total may be overwritten immediately`, async ({ drive }) => {
        const bytes = bytesOf(size)
        for (const announced of [size, undefined]) {
          const draft = await drive.draft(bucket, 'k', announced === undefined ? {} : { size })
          await writeThroughOneBuffer(draft, bytes)
          await draft.publish(attributesOf(bytes))
          const object = await drive.open(bucket, 'k')
          assert.equal(await sha256OfAll(object?.read(0, size) ?? []), sha256Of(bytes))
          await object?.close()
        }
      })
    }

    suite.itIfAble('smallParts', 'in a part may be overwritten immediately', async ({ drive }) => {
      const session = await UploadSession.begin(drive)
      const parts = sizes.map((size, index) => bytesOf(size, index))
      for (const part of parts) {
        const draft = await session.startAppend(part.length)
        await writeThroughOneBuffer(draft, part)
        session.store({ state: await draft.commit(), parts: [...session.parts, part] })
      }
      await session.complete()
      const object = await drive.open(bucket, session.target.key)
      const whole = await sha256OfAll(object?.read(0, object.size) ?? [])
      await object?.close()
      assert.equal(whole, sha256Of(Buffer.concat(parts)))
    })
  })
}

/** As a caller with one buffer, which is overwritten as soon as `write` resolves, and once more later. */
async function writeThroughOneBuffer(
  draft: Pick<PartDraft, 'write'>,
  bytes: Uint8Array,
): Promise<void> {
  const block = new Uint8Array(256 * 1024)
  for (let at = 0; at < bytes.length; at += block.length) {
    const chunk = bytes.subarray(at, at + block.length)
    block.set(chunk)
    await draft.write(block.subarray(0, chunk.length))
    block.fill(0xee)
    await turn()
    block.fill(0xdd)
  }
}

async function sha256OfAll(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

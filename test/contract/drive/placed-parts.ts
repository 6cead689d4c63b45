import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe } from 'node:test'
import type { Drive, ObjectMetadata, WriteConditions } from '../../../src/storage/drives/drive.ts'
import { assertNoLeftovers, type DriveSuite, twoDrives } from './drive-suite.ts'
import {
  asStored,
  attributesOf,
  bucket,
  bytesOf,
  get,
  put,
  rejectsAs,
  writeChunks,
} from './stored-object.ts'

const slot = 100_000
const target = { bucket, key: 'a/placed' }

interface Placed {
  readonly place: string
  readonly bytes: Buffer
}

interface Completing {
  readonly others?: readonly Placed[]
  readonly isQuiet?: boolean
  readonly conditions?: WriteConditions
  readonly assertHeld?: () => void
}

/** An upload in any order, as its caller stores it. */
class PlacedSession {
  readonly #drive: Drive
  state: string
  /** Of the next part that has no slot: its place does not depend on it. */
  #number = 10

  private constructor(drive: Drive, state: string) {
    this.#drive = drive
    this.state = state
  }

  static async begin(drive: Drive): Promise<PlacedSession> {
    const uploadId = randomBytes(16).toString('base64url')
    return new PlacedSession(drive, await drive.uploads.begin(uploadId, target, { anyOrder: true }))
  }

  /** @param inSlot the number of its slot. Absent: bytes of its own */
  start(size: number, inSlot?: number, number = inSlot ?? this.#number++) {
    const offset = inSlot && (inSlot - 1) * slot
    const draft = this.#drive.uploads.place?.(this.state, { number, size, offset })
    assert.ok(draft)
    return draft
  }

  async place(bytes: Buffer, inSlot?: number, number?: number): Promise<Placed> {
    const draft = await this.start(bytes.length, inSlot, number)
    await writeChunks(draft, bytes)
    return { place: await draft.commit(), bytes }
  }

  async complete(parts: readonly Placed[], options: Completing = {}) {
    const { others = [], isQuiet = true, ...rest } = options
    const bytes = Buffer.concat(parts.map((part) => part.bytes))
    const listed = parts.map((part) => ({ place: part.place, size: part.bytes.length }))
    return await this.#drive.uploads.complete(this.state, {
      ...{ target, size: bytes.length, attributes: attributesOf(bytes) },
      placed: { listed, others: others.map(({ place }) => place), isQuiet },
      ...rest,
    })
  }

  async assertCompletes(parts: readonly Placed[], options: Completing = {}): Promise<void> {
    const metadata = await this.complete(parts, options)
    const bytes = Buffer.concat(parts.map((part) => part.bytes))
    assert.equal(metadata?.size, bytes.length)
    await assertIs(this.#drive, bytes, metadata)
  }
}

async function assertIs(drive: Drive, bytes: Buffer, metadata?: ObjectMetadata): Promise<void> {
  assert.ok((await get(drive, target.key))?.equals(bytes))
  const found = await drive.head(bucket, target.key)
  assert.ok(found)
  const own = drive.ownEtags?.(bucket) && { etag: found.attributes.etag }
  const expected = { ...attributesOf(bytes), ...own }
  assert.deepEqual(found.attributes, asStored(drive, expected, found.attributes))
  if (metadata !== undefined) assert.deepEqual(found, metadata)
}

const whole = (seed: number) => bytesOf(slot, seed)

export function placedPartCases(suite: DriveSuite): void {
  if (!suite.can('smallParts')) return
  describe('an upload in any order', () => {
    const it = suite.itIfAble.bind(suite, 'anyOrder')

    it('becomes the object, wherever its parts are', async (under) => {
      const { drive } = under
      const upload = await PlacedSession.begin(drive)
      const last = await upload.place(bytesOf(17, 4), 4)
      const second = await upload.place(whole(2), undefined, 2)
      const [third, first] = await Promise.all([
        upload.place(whole(3), 3),
        upload.place(whole(1), 1),
      ])
      assert.equal(await drive.head(bucket, target.key), undefined)
      await upload.assertCompletes([first, second, third, last])
      await assertNoLeftovers(under)
    })

    it('may leave parts out, and have gaps', async (under) => {
      const { drive } = under
      const upload = await PlacedSession.begin(drive)
      const parts = await Promise.all([2, 3, 5, 9].map((n) => upload.place(whole(n), n)))
      const [second, third, fifth, ninth] = parts as [Placed, Placed, Placed, Placed]
      await upload.assertCompletes([second, fifth], { others: [third, ninth] })
      await assertNoLeftovers(under)
    })

    it('is as before when a condition fails, in any list', async (under) => {
      const { drive } = under
      await put(drive, target.key, 'there')
      const upload = await PlacedSession.begin(drive)
      const parts = await Promise.all([1, 2, 3].map((n) => upload.place(whole(n), n)))
      const [first, second, third] = parts as [Placed, Placed, Placed]
      const own = await upload.place(bytesOf(5, 5))
      const conditions = { ifNoneMatch: '*' } as const
      for (const [list, others] of [
        [
          [first, second],
          [third, own],
        ],
        [[second], [first, third, own]],
        [[first, second, third, own], []],
      ] as const) {
        await rejectsAs(upload.complete(list, { others, conditions }), 'condition')
        assert.equal(await drive.uploads.isPublished(upload.state), false)
      }
      await upload.assertCompletes([first, second, third, own])
      await assertNoLeftovers(under)
    })

    it('publishes nothing that another process still may write', async (under) => {
      const { drive } = under
      const upload = await PlacedSession.begin(drive)
      const first = await upload.place(whole(1), 1)
      const late = await upload.start(slot, 2)
      await late.write(whole(7).subarray(0, slot / 2))
      const second = await upload.place(whole(2), undefined, 2)
      await upload.assertCompletes([first, second], { isQuiet: false })
      await late.write(whole(7).subarray(slot / 2)).catch(() => undefined)
      await late.commit().catch(() => undefined)
      await assertIs(drive, Buffer.concat([first.bytes, second.bytes]))
      await assertNoLeftovers(under)
    })

    it('may be completed again, and gets no part afterwards', async (under) => {
      const { drive } = under
      const upload = await PlacedSession.begin(drive)
      const parts = [await upload.place(whole(2)), await upload.place(whole(1))]
      await upload.assertCompletes(parts)
      const metadata = await drive.head(bucket, target.key)
      assert.deepEqual(await upload.complete(parts), metadata)
      assert.equal(await drive.uploads.isPublished(upload.state), true)
      await put(drive, target.key, 'newer')
      if (suite.can('pastCompletes')) assert.equal(await upload.complete(parts), undefined)
      else await rejectsAs(upload.complete(parts), 'upload-gone', 'unavailable')
      await drive.uploads.abort(upload.state)
      await assert.rejects(upload.place(whole(1), 1))
      await assertNoLeftovers(under)
    })

    it('does not publish for a caller that has lost it', async (under) => {
      const { drive } = under
      const upload = await PlacedSession.begin(drive)
      const parts = [await upload.place(whole(1), 1)]
      const assertHeld = () => {
        throw new Error('lost')
      }
      await assert.rejects(upload.complete(parts, { assertHeld }), /lost/)
      assert.equal(await drive.head(bucket, target.key), undefined)
      assert.equal(await drive.uploads.isPublished(upload.state), false)
      await upload.assertCompletes(parts)
    })

    it('keeps its parts when it is taken over while others write', async (under) => {
      const [drive, other] = await twoDrives(under)
      if (drive.uploads.takeOver === undefined || other.uploads.takeOver === undefined) return
      const upload = await PlacedSession.begin(drive)
      const first = await upload.place(whole(1), 1)
      const draft = await upload.start(slot, 2)
      await draft.write(whole(2).subarray(0, slot / 2))
      const before = upload.state
      upload.state = await other.uploads.takeOver(before, { isDead: false })
      await draft.write(whole(2).subarray(slot / 2))
      const second = { place: await draft.commit(), bytes: whole(2) }
      const third = await upload.place(whole(3), 3)
      await upload.assertCompletes([first, second, third])
      await assertNoLeftovers(under)
    })

    it('replaces a part, and frees the place of the one before', async (under) => {
      const { drive } = under
      const upload = await PlacedSession.begin(drive)
      const before = await upload.place(bytesOf(5, 8))
      const after = await upload.place(bytesOf(7, 9))
      await drive.uploads.removePlace?.(upload.state, before.place)
      await upload.assertCompletes([after])
    })

    it('leaves nothing when a part is discarded, or the upload aborted', async (under) => {
      const { drive } = under
      const upload = await PlacedSession.begin(drive)
      const cut = await upload.start(slot)
      await cut.write(whole(1))
      await cut.discard()
      const open = await upload.start(slot, 1)
      await open.write(whole(1))
      await drive.uploads.abort(upload.state)
      await open.discard()
      assert.equal(await drive.uploads.isPublished(upload.state), false)
      await assertNoLeftovers(under)
    })
  })
}

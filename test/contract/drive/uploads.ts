import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Drive, WriteConditions } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { checkConditions } from './conditions.ts'
import { assertNoLeftovers, type DriveSuite, twoDrives } from './drive-suite.ts'
import {
  asStored,
  bucket,
  bytesOf,
  collectUnlessChanged,
  get,
  getText,
  listKeys,
  put,
  rejectsAs,
  writeChunks,
} from './stored-object.ts'
import { UploadSession } from './upload-session.ts'

const one = bytesOf(300_001, 1)
const two = bytesOf(100_003, 2)
const three = bytesOf(17, 3)

/** Checks that the object is the upload's, and that the drive keeps no other files of it. */
export async function assertCompletes(session: UploadSession, drive: Drive): Promise<void> {
  const metadata = await session.complete()
  assert.ok(metadata)
  assert.equal(metadata.size, session.bytes.length)
  const { etag } = drive.ownEtags?.(bucket) ? metadata.attributes : session.attributes
  const expected = { ...session.attributes, etag }
  assert.deepEqual(metadata.attributes, asStored(drive, expected, metadata.attributes))
  assert.deepEqual(await drive.head(bucket, session.target.key), metadata)
  assert.ok((await get(drive, session.target.key))?.equals(session.bytes))
}

/** Checks that a completed upload is not completed again, after its object was overwritten or removed. */
async function assertIsPast(suite: DriveSuite, session: UploadSession): Promise<void> {
  if (suite.can('pastCompletes')) assert.equal(await session.complete(), undefined)
  else assert.ok(await isGone(session))
}

async function isGone(session: UploadSession): Promise<boolean> {
  try {
    return (await session.complete()) === undefined
  } catch (error) {
    assert.ok(error instanceof DriveError, String(error))
    return true
  }
}

export function uploadCases(suite: DriveSuite): void {
  describe('an upload', () => {
    suite.itIfAble('smallParts', 'becomes the object when completed, not before', async (under) => {
      const { drive } = under
      const session = await UploadSession.begin(drive)
      for (const part of [one, two, three]) {
        await session.append(part)
        assert.deepEqual(await listKeys(drive, { delimiter: '/' }), [])
        assert.equal(await drive.head(bucket, session.target.key), undefined)
      }
      await assertCompletes(session, drive)
      assert.deepEqual(await listKeys(drive), [session.target.key])
      await assertNoLeftovers(under)
    })

    suite.itIfAble('smallParts', 'may have no bytes, or no bytes in a part', async (under) => {
      const { drive } = under
      const empty = await UploadSession.begin(drive, 'empty')
      await assertCompletes(empty, drive)
      const gaps = await UploadSession.begin(drive, 'gaps')
      for (const part of [Buffer.alloc(0), one, Buffer.alloc(0), two]) await gaps.append(part)
      await assertCompletes(gaps, drive)
      await assertNoLeftovers(under)
    })

    suite.itIfAble('smallParts', 'may be one of several for the same key', async (under) => {
      const { drive } = under
      const [first, second] = [await UploadSession.begin(drive), await UploadSession.begin(drive)]
      await first.append(one)
      await second.append(two)
      await first.append(two)
      await assertCompletes(first, drive)
      await second.append(three)
      await assertCompletes(second, drive)
      await assertIsPast(suite, first)
      await assertNoLeftovers(under)
    })

    suite.itIfAble('anyKeys', 'of a hostile key works', async ({ drive }) => {
      await put(drive, 'x/y', 'below')
      const long = 'n'.repeat(suite.can('longKeys') ? 1024 : 900)
      for (const key of ['x', 'x/', '..', 'a//b', '%2E', long, suite.legal('\0')]) {
        const session = await UploadSession.begin(drive, key)
        await session.append(three)
        await assertCompletes(session, drive)
      }
      assert.equal(await getText(drive, 'x/y'), 'below')
    })

    suite.it(
      'overwrites the existing object, and open readers do not mix the two',
      async ({ drive }) => {
        const session = await UploadSession.begin(drive)
        await put(drive, session.target.key, 'old')
        const old = await drive.open(bucket, session.target.key)
        await session.append(one)
        await assertCompletes(session, drive)
        assert.ok(old)
        const bytes = await collectUnlessChanged(old.read(0, 3))
        const isChanged = bytes === undefined && !suite.can('keptVersions')
        assert.ok(isChanged || String(bytes) === 'old')
        await old.close()
      },
    )

    suite.itIfAble('smallParts', 'continues through either of two processes', async (under) => {
      const drives = await twoDrives(under)
      const session = await UploadSession.begin(drives[0])
      for (const [index, part] of [one, two, three].entries()) {
        session.moveTo(drives[index & 1 ? 0 : 1])
        await session.append(part)
      }
      session.moveTo(drives[0])
      await assertCompletes(session, drives[1])
    })
  })

  describe('a part', () => {
    suite.itIfAble(
      'smallParts',
      'leaves the upload unchanged when it is discarded',
      async ({ drive }) => {
        const session = await UploadSession.begin(drive)
        for (const committed of [one, two]) {
          const part = await session.startAppend(500_000)
          await writeChunks(part, bytesOf(400_000, 9))
          await part.discard()
          await part.discard()
          await session.append(committed)
        }
        const part = await session.startAppend(500_000)
        await writeChunks(part, bytesOf(400_000, 9))
        await part.discard()
        await assertCompletes(session, drive)
      },
    )

    for (const lost of [10, 500_000]) {
      suite.itIfAble(
        'smallParts',
        `of ${lost} bytes is overwritten if its state was never stored`,
        async (under) => {
          const { drive } = under
          const session = await UploadSession.begin(drive)
          await session.append(one)
          await session.appendWithoutStoring(bytesOf(lost, 9))
          await session.append(two)
          await session.appendWithoutStoring(bytesOf(lost, 8))
          await session.append(three)
          await assertCompletes(session, drive)
          await assertNoLeftovers(under)
        },
      )
    }

    suite.itIfAble('truncate', 'whose state was never stored is not completed', async (under) => {
      const session = await UploadSession.begin(under.drive)
      await session.append(one)
      await session.appendWithoutStoring(two)
      await assertCompletes(session, under.drive)
      await assertNoLeftovers(under)
    })

    suite.itWithReopen('that a crash cut off is written again', async (under) => {
      const { drive, reopen } = under
      if (!suite.can('smallParts')) return
      const session = await UploadSession.begin(drive)
      await session.append(one)
      const part = await session.startAppend(500_000)
      await writeChunks(part, bytesOf(400_000, 9))
      const next = await reopen()
      session.moveTo(next)
      await session.append(two)
      await assertCompletes(session, next)
    })
  })

  describe('complete of an upload', () => {
    suite.it('may be repeated, and returns the same as the first time', async (under) => {
      const [drive, other] = await twoDrives(under)
      const session = await UploadSession.begin(drive)
      await session.append(one)
      await assertCompletes(session, drive)
      const metadata = await drive.head(bucket, session.target.key)
      assert.equal(await drive.uploads.isPublished(session.state), true)
      assert.deepEqual(await session.complete(), metadata)
      session.moveTo(other)
      assert.deepEqual(await session.complete(), metadata)
      assert.deepEqual(
        await session.complete({ ifNoneMatch: '*' }),
        metadata,
        'conditions held then',
      )
    })

    suite.it('returns undefined when repeated after an overwrite or a removal', async (under) => {
      const [drive, other] = await twoDrives(under)
      const session = await UploadSession.begin(drive)
      await session.append(one)
      await assertCompletes(session, drive)
      await put(drive, session.target.key, 'newer')
      await assertIsPast(suite, session)
      session.moveTo(other)
      await assertIsPast(suite, session)
      assert.equal(await getText(drive, session.target.key), 'newer')
      await drive.remove(bucket, session.target.key)
      await assertIsPast(suite, session)
      assert.deepEqual(await listKeys(drive), [])
    })

    suite.itIfAble(
      'smallParts',
      'leaves the upload for another try when its conditions fail',
      async (under) => {
        const { drive } = under
        const session = await UploadSession.begin(drive)
        await session.append(one)
        await put(drive, session.target.key, 'old')
        await rejectsAs(session.complete({ ifNoneMatch: '*' }), 'condition')
        if (suite.can('completeIfMatch')) {
          await rejectsAs(session.complete({ ifMatch: ['0'.repeat(32)] }), 'condition')
        }
        assert.equal(await under.drive.uploads.isPublished(session.state), false)
        assert.equal(await getText(drive, session.target.key), 'old')
        await session.append(two)
        await assertCompletes(session, drive)
        await assertNoLeftovers(under)
      },
    )

    suite.itIfAble(
      'smallParts',
      'publishes nothing when another process has taken it',
      async (under) => {
        const { drive } = under
        for (const part of [one, bytesOf(100, 4)]) {
          const session = await UploadSession.begin(drive)
          await session.append(part)
          for (const old of [undefined, 'old']) {
            if (old !== undefined) await put(drive, session.target.key, old)
            const lost = new Error('The upload is not held any more.')
            const assertHeld = () => {
              throw lost
            }
            await assert.rejects(session.complete({}, session.bytes.length, assertHeld), lost)
            assert.equal(await getText(drive, session.target.key), old)
            assert.equal(await drive.uploads.isPublished(session.state), false)
          }
          await session.append(two)
          await assertCompletes(session, drive)
          await drive.remove(bucket, session.target.key)
        }
        await assertNoLeftovers(under)
      },
    )

    suite.itIfAble('completeIfMatch', 'follows the table of conditions', async (under) => {
      const complete = async (conditions: WriteConditions) => {
        const session = await UploadSession.begin(under.drive, 'k')
        await session.append(Buffer.from('new'))
        try {
          await session.complete(conditions)
        } finally {
          await session.abort()
        }
      }
      await checkConditions(under, complete, 'new')
      await assertNoLeftovers(under)
    })

    const sizes = suite.can('cutParts') ? [one.length, 0, 1] : [one.length, 0]
    for (const size of sizes) {
      suite.itIfAble('truncate', `may leave out the last parts (${size} bytes)`, async (under) => {
        const { drive } = under
        const session = await UploadSession.begin(drive)
        for (const part of [one, two, three]) await session.append(part)
        const metadata = await session.complete(undefined, size)
        assert.equal(metadata?.size, size)
        assert.ok((await get(drive, session.target.key))?.equals(one.subarray(0, size)))
        if (size > 0 || suite.can('goneUploads')) {
          assert.deepEqual(await session.complete(undefined, size), metadata)
        }
        await assertNoLeftovers(under)
      })
    }
  })

  describe('an upload whose bytes are gone', () => {
    suite.itIfAble('goneUploads', 'takes no part and does not become an object', async (under) => {
      const { drive } = under
      for (const part of [three, one]) {
        const session = await UploadSession.begin(drive)
        await session.append(part)
        // As when someone removes the bytes: the caller still has the state.
        await session.abort()
        await rejectsAs(session.append(two), 'upload-gone')
        await rejectsAs(session.complete(), 'upload-gone')
        if (suite.can('replaceLast')) await rejectsAs(session.replaceLast(two), 'upload-gone')
        assert.equal(await drive.uploads.isPublished(session.state), false)
        await session.abort()
      }
      assert.deepEqual(await listKeys(drive, { delimiter: '/' }), [])
      await assertNoLeftovers(under)
    })

    suite.it('does not become an object of more bytes than there are', async ({ drive }) => {
      const session = await UploadSession.begin(drive)
      await session.append(one)
      await rejectsAs(session.complete(undefined, one.length + 1), 'upload-gone')
      await assertCompletes(session, drive)
    })

    suite.it('takes no part if its state is that of another drive', async ({ drive }) => {
      const session = await UploadSession.begin(drive)
      session.store({ state: 'of another drive', parts: [] })
      await rejectsAs(session.append(one), 'upload-gone')
      await rejectsAs(session.complete(), 'upload-gone')
    })
  })

  describe('abort of an upload', () => {
    suite.it('leaves nothing, and may be repeated', async (under) => {
      const { drive } = under
      const session = await UploadSession.begin(drive)
      await session.append(one)
      await session.abort()
      await session.abort()
      assert.ok(await isGone(session))
      assert.deepEqual(await listKeys(drive, { delimiter: '/' }), [])
      await assertNoLeftovers(under)
    })

    suite.it('after complete leaves the object', async ({ drive }) => {
      const session = await UploadSession.begin(drive)
      await session.append(one)
      await assertCompletes(session, drive)
      await session.abort()
      assert.ok((await get(drive, session.target.key))?.equals(one))
    })
  })

  describe('sweep of uploads', () => {
    suite.itIfAble('smallParts', 'removes only old and unknown uploads', async (under) => {
      const { drive } = under
      const known = await UploadSession.begin(drive, 'known')
      const unknown = await UploadSession.begin(drive, 'unknown')
      for (const session of [known, unknown]) await session.append(one)
      const isKnown = async (uploadId: string) => uploadId === known.uploadId

      await drive.uploads.sweep(isKnown, 3_600_000)
      await unknown.append(two)

      // Until the clock, perhaps that of a file system, is past the time of the last write.
      await setTimeout(1100)
      await drive.uploads.sweep(isKnown, 0)
      assert.ok(await isGone(unknown))
      await known.append(two)
      await assertCompletes(known, drive)
      assert.deepEqual(await listKeys(drive), ['known'])
      await assertNoLeftovers(under)
    })
  })
}

import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { trashBucketOf } from '../../../src/storage/drives/trash-bucket.ts'
import { transferObject } from '../../../src/storage/jobs/files/transfer-object.ts'
import type { DriveSuite } from './drive-suite.ts'
import { attributesOf, bucket, bytesOf, get, getText, listKeys, put } from './stored-object.ts'

const trash = trashBucketOf(bucket)
const going = { signal: new AbortController().signal, assertMayGoOn: () => undefined }

/** What the dashboard deletes goes to a bucket in the own folder, and back. */
export function trashCases(suite: DriveSuite): void {
  describe('trash', () => {
    const itIfTrashes = (what: string, work: (drive: Drive) => Promise<void>) =>
      suite.it(what, async (under) => {
        if (!under.drive.trashes?.(bucket)) return
        await under.drive.addBucket(trash)
        await work(under.drive)
        // The trash itself stays, with what the case has left there.
        const left = (await under.leftovers?.()) ?? []
        assert.deepEqual(
          left.filter((path) => !path.startsWith('trash/')),
          [],
        )
      })

    for (const size of [0, 1_000, 3_000_000]) {
      itIfTrashes(`${size} bytes keep their attributes there and back`, async (drive) => {
        const bytes = bytesOf(size)
        const headers = { 'content-type': 'text/x-odd' }
        // As of a multipart upload: no drive can compute it from the bytes.
        const etag = '0123456789abcdef0123456789abcdef-3'
        const more = { etag, headers, metadata: { a: 'é' }, tags: { colour: 'red' } }
        const before = await put(drive, 'd/é%/a.txt', bytes, { attributes: more })
        await toTrash(drive, 'd/é%/a.txt')
        assert.deepEqual(await listKeys(drive), [])
        const there = await drive.head(trash, 'x/d/é%/a.txt')
        assert.deepEqual(there?.attributes, before.attributes)
        assert.ok((await get(drive, 'x/d/é%/a.txt', trash))?.equals(bytes))
        assert.equal(await back(drive, 'd/é%/a.txt'), 'done')
        assert.deepEqual((await drive.head(bucket, 'd/é%/a.txt'))?.attributes, before.attributes)
        assert.ok((await get(drive, 'd/é%/a.txt'))?.equals(bytes))
        assert.deepEqual(await listKeys(drive, {}, trash), [])
      })
    }

    itIfTrashes('restoring overwrites nothing', async (drive) => {
      await put(drive, 'a', 'old')
      await toTrash(drive, 'a')
      await put(drive, 'a', 'new')
      assert.equal(await back(drive, 'a'), 'taken')
      assert.equal(await getText(drive, 'a'), 'new')
      assert.equal((await get(drive, 'x/a', trash))?.toString(), 'old')
      // And what replaces the other one does not touch it.
      await put(drive, 'a', 'newer')
      assert.equal(
        (await drive.head(trash, 'x/a'))?.attributes.etag,
        attributesOf(Buffer.from('old')).etag,
      )
    })

    for (const step of ['copy', 'remove'] as const) {
      itIfTrashes(`a death after ${step} loses nothing, and the next call finishes`, (drive) =>
        dieAndFinish(drive, step),
      )
    }

    itIfTrashes(
      'an object that is overwritten in between stays, as does its copy',
      async (drive) => {
        await put(drive, 'a', 'old')
        const racing = dyingAfter(drive, 'copy', async () => void (await put(drive, 'a', 'new')))
        assert.equal(await toTrash(racing, 'a'), 'taken')
        assert.equal((await get(drive, 'x/a', trash))?.toString(), 'old')
        assert.equal(await getText(drive, 'a'), 'new')
      },
    )
  })
}

async function dieAndFinish(drive: Drive, step: 'copy' | 'remove'): Promise<void> {
  const { attributes } = await put(drive, 'a', 'bytes', { attributes: { metadata: { k: 'v' } } })
  for (const move of [toTrash, back]) {
    await assert.rejects(move(dyingAfter(drive, step), 'a'), /dead/)
    const found = [await drive.head(bucket, 'a'), await drive.head(trash, 'x/a')].filter(Boolean)
    assert.ok(found.length > 0)
    for (const object of found) assert.deepEqual(object?.attributes, attributes)
    await move(drive, 'a')
  }
  assert.equal(await getText(drive, 'a'), 'bytes')
  assert.deepEqual((await drive.head(bucket, 'a'))?.attributes, attributes)
  assert.deepEqual(await listKeys(drive, {}, trash), [])
}

function toTrash(drive: Drive, key: string) {
  const to = { bucket: trash, key: `x/${key}` }
  return transferObject(drive, { bucket, key }, to, { ...going, mayReplace: undefined })
}

function back(drive: Drive, key: string) {
  const from = { bucket: trash, key: `x/${key}` }
  return transferObject(drive, from, { bucket, key }, { ...going, mayReplace: undefined })
}

/** The drive until its process dies after the first call of a step, or something else happens then. */
function dyingAfter(
  drive: Drive,
  step: 'copy' | 'remove',
  happening: () => Promise<void> = () => Promise.reject(new Error('dead')),
): Drive {
  let isDone = false
  return new Proxy(drive, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        const result: unknown = await Reflect.apply(value, target, given)
        if (name === step && !isDone) {
          isDone = true
          await happening()
        }
        return result
      }
    },
  })
}

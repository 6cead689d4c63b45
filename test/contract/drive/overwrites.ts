import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { type DriveSuite, twoDrives } from './drive-suite.ts'
import {
  assertHolds,
  bucket,
  bytesOf,
  collect,
  collectUnlessChanged,
  get,
  getText,
  md5Of,
  put,
} from './stored-object.ts'

async function openedVersion(drive: Drive, key: string) {
  const object = await drive.open(bucket, key)
  assert.ok(object)
  return object
}

export function overwriteCases(suite: DriveSuite): void {
  describe('an opened object', () => {
    for (const size of [100, 3_000_000]) {
      suite.itIfAble(
        'keptVersions',
        `keeps its version through overwrites and removal (${size} bytes)`,
        async (under) => {
          const [drive, other] = await twoDrives(under)
          const old = bytesOf(size, 1)
          await put(drive, 'a/k', old, { attributes: { metadata: { version: 'one' } } })
          const object = await openedVersion(drive, 'a/k')
          await put(other, 'a/k', bytesOf(size - 1, 2), { attributes: { metadata: {} } })
          assert.ok((await collect(object.read(0, size))).equals(old))
          await other.remove(bucket, 'a/k')
          assert.ok((await collect(object.read(0, size))).equals(old))
          assert.equal(object.size, size)
          assert.equal(object.attributes.etag, md5Of(old))
          assert.deepEqual(object.attributes.metadata, { version: 'one' })
          await object.close()
          assert.equal(await drive.open(bucket, 'a/k'), undefined)
        },
      )
    }

    suite.it('never mixes its version with another', async (under) => {
      const [drive, other] = await twoDrives(under)
      for (const size of [100, 300_000, 3_000_000]) {
        const old = bytesOf(size, 1)
        await put(drive, 'k', old)
        const object = await openedVersion(drive, 'k')
        const isOld = async () => {
          for (const start of [0, size / 2]) {
            const read = await collectUnlessChanged(object.read(start, size))
            assert.ok(read === undefined || read.equals(old.subarray(start)))
          }
        }
        await put(other, 'k', bytesOf(size, 2))
        await isOld()
        await put(other, 'k', bytesOf(size + 1, 3))
        await isOld()
        await other.remove(bucket, 'k')
        await isOld()
        await object.close()
      }
    })

    if (!suite.can('keptVersions')) {
      suite.it('ends its reads as `changed` after it was overwritten', async (under) => {
        const [drive, other] = await twoDrives(under)
        await put(drive, 'k', bytesOf(300_000, 1))
        const object = await openedVersion(drive, 'k')
        await put(other, 'k', 'new')
        assert.equal(await collectUnlessChanged(object.read(0, object.size)), undefined)
        await object.close()
      })

      suite.it('is read completely or not at all after it was removed', async (under) => {
        const [drive, other] = await twoDrives(under)
        const old = bytesOf(300_000, 1)
        await put(drive, 'k', old)
        const object = await openedVersion(drive, 'k')
        await other.remove(bucket, 'k')
        assert.ok((await collectUnlessChanged(object.read(0, object.size)))?.equals(old) ?? true)
        await object.close()
      })
    }

    const inTheMiddle = 'keeps its version when overwritten in the middle of a read'
    suite.itIfAble('keptVersions', inTheMiddle, async (under) => {
      const [drive, other] = await twoDrives(under)
      const old = bytesOf(4_000_000, 1)
      await put(drive, 'k', old)
      const object = await openedVersion(drive, 'k')
      const chunks: Buffer[] = []
      for await (const chunk of object.read(0, object.size)) {
        if (chunks.length === 0) await put(other, 'k', bytesOf(4_000_000, 2))
        chunks.push(Buffer.from(chunk))
      }
      assert.ok(Buffer.concat(chunks).equals(old))
      await object.close()
    })
  })

  describe('readers during overwrites', () => {
    suite.itIfAble(
      'atomicWrites',
      'see the complete old or new object with its attributes',
      async (under) => {
        const [drive, other] = await twoDrives(under)
        await put(drive, 'a/k', bytesOf(1, 0))
        let isDone = false
        // On a busy machine, all reads of a drive that keeps no version may end as `changed` for a while.
        const withoutRead = new Set<symbol>()
        const write = async () => {
          for (let round = 1; round <= suite.tries(60) || withoutRead.size > 0; round++) {
            const size = (round * 7919) % 200_000
            await put(round & 1 ? drive : other, 'a/k', bytesOf(size, round))
          }
          isDone = true
        }
        const readAll = async (reader: Drive, hasRead: () => void) => {
          while (!isDone) {
            // Calls that the kernel answers from memory never yield: the writer needs a turn.
            await setImmediate()
            const object = await openedVersion(reader, 'a/k')
            const bytes = await collectUnlessChanged(object.read(0, object.size))
            await object.close()
            assert.ok(await reader.head(bucket, 'a/k'))
            if (bytes === undefined && !suite.can('keptVersions')) continue
            assert.equal(object.size, bytes?.length)
            assert.equal(object.attributes.etag, md5Of(bytes ?? Buffer.alloc(0)))
            hasRead()
          }
        }
        const read = async (reader: Drive) => {
          const id = Symbol()
          withoutRead.add(id)
          const hasRead = () => void withoutRead.delete(id)
          await readAll(reader, hasRead).finally(hasRead)
        }
        await Promise.all([read(drive), read(drive), read(other), write()])
      },
    )

    suite.it('and several writers see one of the versions, finally the last one', async (under) => {
      const drives = await twoDrives(under)
      const known = new Set<string>()
      const write = async (writer: number) => {
        for (let round = 0; round < 15; round++) {
          const text = `writer ${writer} round ${round}`
          known.add(text)
          await put(drives[writer & 1 ? 1 : 0], 'k', text)
          const object = await openedVersion(drives[0], 'k')
          const bytes = await collectUnlessChanged(object.read(0, object.size))
          await object.close()
          const isChanged = bytes === undefined && !suite.can('keptVersions')
          assert.ok(isChanged || known.has(String(bytes)))
        }
      }
      await Promise.all([write(0), write(1), write(2), write(3)])
      const last = await getText(drives[0], 'k')
      assert.equal(await getText(drives[1], 'k'), last)
      assert.match(last ?? '', /round 14$/)
    })
  })

  describe('an acknowledged write', () => {
    suite.itWithReopen('is there for the next process, with its attributes', async (under) => {
      const { drive, reopen } = under
      await put(drive, 'a', 'one')
      await put(drive, 'b/c', 'two')
      await put(drive, 'gone', 'three')
      await drive.remove(bucket, 'gone')
      const next = await reopen()
      await assertHolds(next, { a: 'one', 'b/c': 'two' })
    })
  })

  describe('the last object of a folder', () => {
    const races: [removed: string, created: string][] = [
      ['f/x', 'f/y'],
      ['f/g/h/x', 'f/g/h/y'],
      ['f/g/h/x', 'f/y'],
      ['f/x', 'f/g/h/y'],
      ['f/g/x', 'f/g'],
      ['f/', 'f/y'],
    ]
    for (const [removed, created] of races) {
      if (suite.beside([removed, created]).length < 2) continue
      suite.it(`is removed (${removed}) while ${created} is written`, async (under) => {
        const [drive, other] = await twoDrives(under)
        for (let round = 0; round < suite.tries(30); round++) {
          await put(drive, removed, 'old')
          const text = `new ${round}`
          const [wasThere] = await Promise.all([
            drive.remove(bucket, removed),
            put(other, created, text),
          ])
          assert.ok(wasThere)
          await assertHolds(other, { [created]: text })
          assert.equal(String(await get(drive, created)), text)
          await other.remove(bucket, created)
          await suite.assertEmpty(drive)
        }
      })
    }
  })
}

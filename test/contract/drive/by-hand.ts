import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { type DriveSuite, twoDrives } from './drive-suite.ts'
import {
  bucket,
  bytesOf,
  get,
  getText,
  listAll,
  listKeys,
  put,
  rejectsAs,
  sortedKeys,
} from './stored-object.ts'

/** For a file with an unknown MD5: like an ETag of parts, so that it is not taken for an MD5. */
const unknownMd5 = /^[0-9a-f]{32}-\d+$/

async function etagOf(drive: Drive, key: string): Promise<string> {
  const metadata = await drive.head(bucket, key)
  assert.ok(metadata, key)
  return metadata.attributes.etag
}

export function byHandCases(suite: DriveSuite): void {
  describe('a file put by hand', () => {
    suite.itWithByHand('is an object at once', async (under) => {
      const { drive, byHand, etagByHand = unknownMd5 } = under
      const bytes = bytesOf(100_000)
      for (const path of ['top.txt', 'a/b/ü.txt', 'a/100%.txt', 'a/.hidden']) {
        assert.equal(await drive.head(bucket, path), undefined)
        await byHand.put(path, bytes)
        const metadata = await drive.head(bucket, path)
        assert.equal(metadata?.size, bytes.length)
        assert.match(metadata.attributes.etag, etagByHand)
        assert.ok((await get(drive, path))?.equals(bytes))
      }
      const keys = sortedKeys(['top.txt', 'a/b/ü.txt', 'a/100%.txt', 'a/.hidden'])
      assert.deepEqual(await listKeys(drive), keys)
    })

    suite.itWithByHand('has one ETag as long as it is not changed', async (under) => {
      const [drive, other] = await twoDrives(under)
      await under.byHand.put('a/k', Buffer.from('by hand'))
      const etag = await etagOf(drive, 'a/k')
      const [entry] = await listAll(drive)
      assert.equal(entry?.kind === 'object' && entry.etag, etag)
      const object = await drive.open(bucket, 'a/k')
      assert.equal(object?.attributes.etag, etag)
      await object?.close()
      assert.equal(await etagOf(drive, 'a/k'), etag)
      assert.equal(await etagOf(other, 'a/k'), etag)
    })

    suite.itWithByHand('has another ETag when edited', async (under) => {
      const { drive, byHand, etagByHand = unknownMd5 } = under
      await byHand.put('k', Buffer.from('one'))
      await put(drive, 'own', 'own')
      const seen = new Set([await etagOf(drive, 'k'), await etagOf(drive, 'own')])
      for (const text of ['longer', 'two', 'six']) {
        // An edit of the same length within one tick of the file system's clock cannot be detected.
        await setTimeout(50)
        for (const path of ['k', 'own']) {
          const edited = `${text} ${path}`
          await byHand.put(path, Buffer.from(edited))
          assert.equal(await getText(drive, path), edited)
          const etag = await etagOf(drive, path)
          assert.match(etag, etagByHand)
          assert.ok(!seen.has(etag), `${path} ${text}`)
          seen.add(etag)
        }
      }
    })

    suite.itWithByHand('may be overwritten, copied over and removed', async (under) => {
      const { drive, byHand } = under
      for (const path of ['a/k', 'removed']) await byHand.put(path, Buffer.from('by hand'))
      const conditions = { ifMatch: [await etagOf(drive, 'a/k')] }
      await put(drive, 'a/k', 'written', { conditions })
      assert.equal(await getText(drive, 'a/k'), 'written')
      assert.equal((await drive.remove(bucket, 'removed')) !== undefined, true)
      assert.deepEqual(await byHand.list(), ['a/', 'a/k'])
    })

    suite.itWithByHand('is not overwritten by ifNoneMatch', async ({ drive, byHand }) => {
      const draft = await drive.draft(bucket, 'k', {})
      await draft.write(Buffer.from('new'))
      await byHand.put('k', Buffer.from('by hand'))
      const attributes = { etag: '0'.repeat(32), headers: {}, metadata: {} }
      await rejectsAs(draft.publish(attributes, { ifNoneMatch: '*' }), 'condition')
      assert.equal(await getText(drive, 'k'), 'by hand')
    })

    suite.itWithByHand('may stand where a folder must come', async (under) => {
      const { drive, byHand, etagByHand = unknownMd5 } = under
      await byHand.put('a', Buffer.from('by hand'))
      await put(drive, 'a/b', 'below')
      assert.equal(await getText(drive, 'a'), 'by hand')
      assert.match(await etagOf(drive, 'a'), etagByHand)
      assert.deepEqual(await listKeys(drive), ['a', 'a/b'])
    })

    suite.itWithByHand('is gone when removed by hand', async ({ drive, byHand }) => {
      await byHand.put('a/by hand', Buffer.from('x'))
      await put(drive, 'a/own', 'x')
      await listAll(drive)
      for (const path of ['a/by hand', 'a/own']) {
        await byHand.remove(path)
        assert.equal(await drive.head(bucket, path), undefined)
        assert.equal(await drive.open(bucket, path), undefined)
        assert.equal((await drive.remove(bucket, path)) !== undefined, false)
      }
      assert.deepEqual(await listKeys(drive), [])
    })

    suite.itWithByHand('shows in a listing at once, among many', async ({ drive, byHand }) => {
      const keys = Array.from({ length: 300 }, (_, index) => `f/${1000 + index}`)
      for (const key of keys) await byHand.put(key, Buffer.from(key))
      for (let round = 0; round < suite.tries(30); round++) {
        assert.deepEqual(await listKeys(drive, { prefix: 'f/' }), keys)
        await byHand.remove(keys.shift() ?? '')
        keys.push(`f/${2000 + round}`)
        await byHand.put(`f/${2000 + round}`, Buffer.from('x'))
      }
    })
  })

  describe('a written object', () => {
    suite.itWithByHand('is a file at the path of its key', async ({ drive, byHand }) => {
      await put(drive, 'photos/2024/ä b.jpg', 'x')
      await put(drive, 'top', 'x')
      await put(drive, 'photos/', '')
      const paths = await byHand.list()
      assert.ok(paths.includes('photos/2024/ä b.jpg'))
      assert.ok(paths.includes('top'))
      assert.equal(paths.filter((path) => !path.endsWith('/')).length, 3)
    })
  })

  describe('a folder', () => {
    suite.itWithByHand('made by hand stays when its objects go', async ({ drive, byHand }) => {
      await byHand.makeFolder('hand')
      await put(drive, 'hand/own/deeper/k', 'x')
      await put(drive, 'hand/k', 'x')
      await drive.remove(bucket, 'hand/own/deeper/k')
      assert.deepEqual(await byHand.list(), ['hand/', 'hand/k'])
      await drive.remove(bucket, 'hand/k')
      assert.deepEqual(await byHand.list(), ['hand/'])
    })

    if (suite.can('removeFolder')) {
      suite.itWithByHand('made by hand goes when asked for, if it is empty', async (under) => {
        const { drive, byHand } = under
        const remove = async (key: string) => {
          await drive.removeFolder?.(bucket, key)
          return byHand.list()
        }
        for (const path of ['a/b/c', 'full', 'é']) await byHand.makeFolder(path)
        await byHand.put('full/file', bytesOf(3))
        const all = ['a/', 'a/b/', 'a/b/c/', 'full/', 'full/file', 'é/']
        assert.deepEqual(await remove('a/'), all)
        assert.deepEqual(await remove('full/'), all)
        assert.deepEqual(await remove('full/file/'), all)
        assert.deepEqual(await remove('none/at/all/'), all)
        assert.deepEqual(await remove('é/'), all.slice(0, -1))
        assert.deepEqual(await remove('a/b/c/'), ['a/', 'a/b/', 'full/', 'full/file'])
        await put(drive, 'a/b/own/k', 'x')
        await drive.remove(bucket, 'a/b/own/k')
        assert.deepEqual(await remove('a/b/'), ['a/', 'full/', 'full/file'])
        assert.deepEqual(await listKeys(drive, { delimiter: '/' }), ['a/', 'full/'])
      })
    }

    suite.itWithByHand('made by hand shows with the delimiter, even empty', async (under) => {
      const { drive, byHand } = under
      await byHand.makeFolder('b/empty')
      await put(drive, 'a', 'x')
      assert.deepEqual(
        await listAll(drive, { delimiter: '/' }).then((all) => all.map(keyAndKind)),
        [
          ['a', 'object'],
          ['b/', 'folder'],
        ],
      )
      assert.deepEqual(await listKeys(drive, { delimiter: '/', prefix: 'b/' }), ['b/empty/'])
      assert.deepEqual(await listKeys(drive, { delimiter: '/', prefix: 'b/e' }), ['b/empty/'])
      assert.deepEqual(await listKeys(drive, { delimiter: '/', prefix: 'b/empty/' }), [])
      assert.deepEqual(await listKeys(drive, { delimiter: '/', after: 'b/' }), [])
      assert.deepEqual(await listKeys(drive), ['a'], 'it is no object')
      assert.equal(await drive.head(bucket, 'b/'), undefined)
      assert.equal(await drive.head(bucket, 'b'), undefined)
    })

    suite.itWithByHand('is not removed with files of other people in it', async (under) => {
      const { drive, byHand } = under
      await put(drive, 'f/own', 'x')
      await byHand.put('f/by hand', Buffer.from('x'))
      await drive.remove(bucket, 'f/own')
      assert.deepEqual(await byHand.list(), ['f/', 'f/by hand'])
      assert.equal(await getText(drive, 'f/by hand'), 'x')
    })
  })
}

function keyAndKind(entry: { readonly key: string; readonly kind: string }): [string, string] {
  return [entry.key, entry.kind]
}

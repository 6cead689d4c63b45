import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DatabaseLocation } from '../../src/platform/state/open-database.ts'
import { sortNameOf } from '../../src/storage/drives/google/index/drive-index.ts'
import { fileOf, folderOf, ids, root, useDriveIndex } from './drive-index-fixture.ts'

/** The contract of the Google drive's index about crawls and the feed, for every database. */
export function describeDriveIndexCrawl(
  name: string,
  createLocation: () => Promise<DatabaseLocation>,
) {
  describe(`${name} index of the Google drive, kept fresh`, () => {
    const under = useDriveIndex(createLocation)

    test('a crawl lists every folder once, and returns the files it did not see', async () => {
      await under.index.save(
        [folderOf('f', 'bucket'), fileOf('gone', 'f'), fileOf('stays', 'f')],
        [],
      )
      await under.index.listed(await under.index.unlisted(10), 0)
      assert.deepEqual(await under.index.unlisted(10), [])
      const before = await under.state()
      assert.equal(await under.index.beginCrawl(root, before, 'token'), true)
      assert.equal(await under.index.beginCrawl(root, before, 'other'), false)
      const { crawl, isReady, pageToken } = await under.state()
      assert.deepEqual([crawl, isReady, pageToken], [1, false, 'token'])
      assert.deepEqual((await under.index.unlisted(10)).sort(), ['bucket', 'f'])
      assert.equal((await under.index.unlisted(1)).length, 1)
      await under.index.saveListed(
        [folderOf('g', 'bucket'), folderOf('f', 'bucket'), fileOf('stays', 'f')],
        crawl,
      )
      assert.deepEqual(await under.index.unseen(['f', 'bucket'], crawl), ['gone'])
      await under.index.listed(['bucket', 'f'], crawl)
      assert.deepEqual(await under.index.unlisted(10), ['g'])
      await under.index.listed(['g'], crawl)
      await under.index.endCrawl(root)
      assert.equal((await under.state()).isReady, true)
    })

    test('look is sure while the content of all folders is known', async () => {
      const look = () => under.index.look([root], [sortNameOf('bucket', 'folder')], 'folder')
      const unknown = async () => [
        (await look()).isSure,
        await under.index.hasUnlisted(),
        await under.index.unlistedOf(['f', 'bucket', 'none']),
      ]
      assert.deepEqual(await unknown(), [true, false, []])
      await under.index.save([folderOf('f', 'bucket')], [])
      assert.deepEqual(await unknown(), [false, true, ['f']])
      assert.deepEqual(ids((await look()).files), ['bucket'])
      const long = [...'abcdef'].map((name) => sortNameOf(name, 'folder'))
      assert.deepEqual(await under.index.look([root], long, 'file'), { files: [], isSure: false })
      await under.index.save([], [{ id: 'f', version: 2 }])
      assert.deepEqual(await unknown(), [true, false, []], 'nobody asks for hidden ones')
      assert.deepEqual(await under.index.unlisted(10), [])
      await under.index.save([folderOf('f', 'bucket', { version: 3 })], [])
      assert.deepEqual(await unknown(), [false, true, ['f']])
      await under.index.listed(['f'], 7)
      assert.deepEqual(await unknown(), [false, true, ['f']], 'it was another crawl')
      await under.index.beginCrawl(root, await under.state(), 'token')
      assert.deepEqual(await under.index.unlisted(10), ['f', 'bucket'])
      await under.index.listed(['f'], 1)
      assert.deepEqual(await unknown(), [true, false, []], 'what was known is known')
      assert.deepEqual(await under.index.unlisted(10), ['bucket'])
    })

    test('a restored folder is listed again, a changed one is not', async () => {
      await under.index.save([folderOf('f', 'bucket')], [])
      await under.index.listed(['f'], 0)
      await under.index.save([folderOf('f', 'bucket', { version: 2 })], [])
      assert.deepEqual(await under.index.unlisted(10), [])
      await under.index.save([], [{ id: 'f', version: 3 }])
      await under.index.save([folderOf('f', 'bucket', { version: 4 })], [])
      assert.deepEqual(await under.index.unlisted(10), ['f'])
      assert.equal(await under.index.write({ file: folderOf('made', 'bucket') }), true)
      assert.deepEqual(
        await under.index.unlisted(10),
        ['f'],
        'what is made here is known to be empty',
      )
    })

    test('advance applies a page of the feed once', async () => {
      await under.index.beginCrawl(root, await under.state(), 't1')
      const page = {
        from: 't1',
        to: 't2',
        files: [fileOf('a', 'bucket')],
        hidden: [],
        polledAtMs: 7,
      }
      assert.equal(await under.index.advance(root, page), true)
      const other = { ...page, files: [fileOf('b', 'bucket')] }
      assert.equal(await under.index.advance(root, other), false)
      assert.deepEqual(ids(await under.index.getMany(['a', 'b'])), ['a'])
      const { pageToken, polledAtMs } = await under.state()
      assert.deepEqual([pageToken, polledAtMs], ['t2', 7])
      const hidden = [{ id: 'a', version: 2 }]
      assert.equal(
        await under.index.advance(root, { from: 't2', to: 't3', files: [], hidden }),
        true,
      )
      assert.equal((await under.index.getMany(['a']))[0]?.parent, '')
      assert.equal((await under.state()).polledAtMs, 7)
    })

    test('open forgets another root, and not this one', async () => {
      await under.index.noteStaging(root, 'staging')
      await under.index.open(root)
      assert.equal(await under.index.staging(root), 'staging')
      assert.equal((await under.index.getMany(['bucket'])).length, 1)
      await under.index.open('elsewhere')
      assert.equal(await under.index.state(root), undefined)
      assert.deepEqual(await under.index.getMany(['bucket']), [])
      await under.index.open(root)
      assert.equal(await under.index.staging(root), undefined)
    })

    test('tidy deletes what was hidden long ago, with everything below it', async () => {
      const tree = [
        folderOf('f', 'bucket'),
        folderOf('g', 'f'),
        fileOf('x', 'g'),
        fileOf('y', 'bucket'),
      ]
      await under.index.save([...tree, fileOf('late', 'bucket')], [])
      await under.index.write({
        file: fileOf('y', 'bucket'),
        kept: { id: 'y', md5: 'm', json: '{}' },
      })
      await under.index.save(
        [],
        [
          { id: 'f', version: 2 },
          { id: 'y', version: 2 },
        ],
      )
      under.nowMs = 5_000
      await under.index.save([], [{ id: 'late', version: 2 }])
      await under.index.tidy(1_000)
      assert.equal((await under.index.getMany(['f', 'g', 'x', 'y', 'late', 'bucket'])).length, 6)
      await under.index.tidy(2_000)
      const left = await under.index.getMany(['f', 'g', 'x', 'y', 'late', 'bucket'])
      assert.deepEqual(ids(left).sort(), ['bucket', 'late'])
      assert.deepEqual(await under.index.keptAttributes(['y']), [])
    })
  })
}

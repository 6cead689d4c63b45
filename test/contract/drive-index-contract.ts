import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type {
  ChildrenQuery,
  DriveIndex,
  IndexedFile,
  IndexState,
} from '../../src/drives/google/drive-index.ts'
import { sortNameOf } from '../../src/drives/google/sort-name.ts'
import type { UploadRecords } from '../../src/drives/google/upload-records.ts'
import type { Database } from '../../src/state/database.ts'
import { DatabaseDriveIndex } from '../../src/state/drive-index.ts'
import { DatabaseDriveUploads } from '../../src/state/drive-index-uploads.ts'
import { type DatabaseLocation, openDatabase } from '../../src/state/open-database.ts'

const root = 'root'
const odd = 'b"\\é🎉?\'%_'

function fileOf(id: string, parent: string, more: Partial<IndexedFile> = {}): IndexedFile {
  return {
    ...{
      id,
      parent,
      sortName: sortNameOf(id, 'file'),
      kind: 'file',
      size: 3,
      md5: 'm',
      version: 1,
    },
    ...{ revision: 'r', mimeType: 'a/b', createdAtMs: 1, modifiedAtMs: 2_000_000_000_000 },
    ...{ etag: 'e', attributes: '{"etag":"e"}', isOwn: false },
    ...more,
  }
}

function folderOf(id: string, parent: string, more: Partial<IndexedFile> = {}): IndexedFile {
  const sortName = sortNameOf(id, 'folder')
  return fileOf(id, parent, { kind: 'folder', sortName, etag: '', attributes: '', ...more })
}

const all: ChildrenQuery = { from: '', isInclusive: true, hidesEmpty: false, limit: 100 }
const ids = (rows: readonly { readonly id: string }[]) => rows.map((row) => row.id)

/** What the Google drive is promised, whatever the database. */
export function describeDriveIndex(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} stores of the Google drive`, () => {
    let database: Database
    let index: DriveIndex
    let records: UploadRecords
    let nowMs = 1_000
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      index = new DatabaseDriveIndex(database, () => nowMs)
      records = new DatabaseDriveUploads(database, () => nowMs)
    })
    after(() => database.close())
    beforeEach(async () => {
      nowMs = 1_000
      await index.open('another')
      await index.open(root)
      await index.save([folderOf('bucket', root)], [])
      await index.listed(['bucket'], 0)
    })

    const stateNow = async (): Promise<IndexState> => {
      const state = await index.state(root)
      assert.ok(state)
      return state
    }

    describe('index', () => {
      test('find gives what lies at the end of a path, and nothing else', async () => {
        const chain = Array.from({ length: 20 }, (_, depth) =>
          folderOf(`d${depth}`, depth === 0 ? 'bucket' : `d${depth - 1}`),
        )
        const deepest = fileOf('x', 'd19', { sortName: sortNameOf(odd, 'file') })
        await index.save([...chain, deepest, fileOf('x2', 'd18', deepest)], [])
        const path = ['bucket', ...ids(chain)].map((id) => sortNameOf(id, 'folder'))
        for (let depth = 1; depth <= path.length; depth++) {
          const found = await index.find([root], path.slice(0, depth), 'folder')
          assert.deepEqual(ids(found), [['bucket', ...ids(chain)][depth - 1]])
        }
        const whole = [...path, sortNameOf(odd, 'file')]
        assert.deepEqual(await index.find([root], whole, 'file'), [deepest])
        assert.deepEqual(await index.find([root], whole, 'folder'), [])
        assert.deepEqual(await index.find(['none'], whole, 'file'), [])
        assert.deepEqual(await index.find([], whole, 'file'), [])
      })

      test('find goes through folders of one name, and gives twins', async () => {
        const sortName = sortNameOf('same', 'folder')
        await index.save(
          [folderOf('f1', 'bucket', { sortName }), folderOf('f2', 'bucket', { sortName })],
          [],
        )
        const twin = { sortName: sortNameOf('a', 'file') }
        await index.save([fileOf('a1', 'f1', twin), fileOf('a2', 'f2', twin)], [])
        const found = await index.find(['bucket'], [sortName, twin.sortName], 'file')
        assert.deepEqual(ids(found).sort(), ['a1', 'a2'])
      })

      test('children come in order of bytes, page by page, the newest of twins first', async () => {
        const names = ['', 'B', 'a', 'a-', 'a.', 'a0', 'b', 'é', '\uffff', '😀']
        const files = names.map((text, at) =>
          fileOf(`i${at}`, 'bucket', { sortName: sortNameOf(text, 'file') }),
        )
        const folder = folderOf('folder', 'bucket', { sortName: sortNameOf('a', 'folder') })
        const twins = [
          fileOf('t1', 'bucket', {
            sortName: sortNameOf('b', 'file'),
            modifiedAtMs: 2_000_000_000_001,
          }),
          fileOf('t2', 'bucket', { sortName: sortNameOf('b', 'file') }),
        ]
        await index.save([...files, folder, ...twins, fileOf('other', 'folder')], [])
        const expected = [
          'i0',
          'i1',
          'i2',
          'i3',
          'i4',
          'folder',
          'i5',
          't1',
          't2',
          'i6',
          'i7',
          'i8',
          'i9',
        ]
        assert.deepEqual(ids(await index.children(['bucket'], all)), expected)
        const from = sortNameOf('a', 'file')
        const page = await index.children(['bucket'], { ...all, from, limit: 3 })
        assert.deepEqual(ids(page), ['i2', 'i3', 'i4'])
        const next = await index.children(['bucket'], {
          ...all,
          from,
          isInclusive: false,
          limit: 2,
        })
        assert.deepEqual(ids(next), ['i3', 'i4'])
        assert.deepEqual(page[0], {
          ...{ id: 'i2', sortName: from, kind: 'file', size: 3 },
          ...{ modifiedAtMs: 2_000_000_000_000, etag: 'e' },
        })
        assert.deepEqual(ids(await index.children(['folder', 'none'], all)), ['other'])
        assert.deepEqual(await index.children([], all), [])
      })

      test('children leaves out own folders with nothing in them where that is wanted', async () => {
        const own = { isOwn: true }
        await index.save([folderOf('empty', 'bucket', own), folderOf('full', 'bucket', own)], [])
        await index.save([folderOf('by hand', 'bucket'), fileOf('x', 'full')], [])
        await index.listed(['empty', 'full'], 0)
        await index.save([folderOf('not listed', 'bucket', own)], [])
        const seen = await index.children(['bucket'], { ...all, hidesEmpty: true })
        assert.deepEqual(ids(seen), ['by hand', 'full', 'not listed'])
      })

      test('save takes no older news, and of one file the last', async () => {
        await index.save([fileOf('a', 'bucket', { version: 5, size: 5 })], [])
        await index.save([fileOf('a', 'bucket', { version: 4, size: 4 })], [])
        assert.equal((await index.getMany(['a']))[0]?.size, 5)
        const again = [
          fileOf('a', 'bucket', { version: 6, size: 6 }),
          fileOf('a', 'bucket', { version: 6, size: 7 }),
        ]
        await index.save(again, [])
        assert.equal((await index.getMany(['a', 'none']))[0]?.size, 7)
        await index.save([], [{ id: 'a', version: 5 }])
        assert.equal((await index.getMany(['a']))[0]?.parent, 'bucket')
        await index.save([], [{ id: 'a', version: 8 }])
        await index.save([fileOf('a', 'bucket', { version: 7 })], [])
        assert.equal((await index.getMany(['a']))[0]?.parent, '', 'hidden stays hidden')
        await index.save([fileOf('a', 'bucket', { version: 9 })], [])
        assert.equal((await index.getMany(['a']))[0]?.parent, 'bucket')
      })

      test('save and getMany take many', async () => {
        const many = Array.from({ length: 700 }, (_, at) => fileOf(`m${at}`, 'bucket'))
        await index.save(
          many,
          ids(many.slice(0, 10)).map((id) => ({ id, version: 2 })),
        )
        assert.equal((await index.getMany(ids(many))).length, 700)
        assert.equal((await index.children(['bucket'], { ...all, limit: 1000 })).length, 690)
      })

      test('write is all or nothing, and nothing in a hidden folder', async () => {
        await index.save([folderOf('f', 'bucket'), fileOf('old', 'f')], [])
        const write = {
          file: fileOf('new', 'f'),
          kept: { id: 'new', md5: 'm', json: '{}' },
          hides: [{ id: 'old', version: 2 }],
          upload: { id: 'upload', json: '{"published":1}' },
        }
        assert.equal(await index.write(write), true)
        assert.deepEqual(ids(await index.children(['f'], all)), ['new'])
        assert.deepEqual(await index.keptAttributes(['new', 'none']), [write.kept])
        assert.equal(await records.find('upload'), '{"published":1}')
        await index.save([], [{ id: 'f', version: 2 }])
        const kept = { id: 'third', md5: 'm', json: '{}' }
        assert.equal(await index.write({ file: fileOf('third', 'f'), kept }), false)
        assert.equal(await index.write({ file: fileOf('fourth', 'none') }), false)
        assert.deepEqual(await index.getMany(['third', 'fourth']), [])
        assert.deepEqual(await index.keptAttributes(['third']), [])
        await records.remove('upload')
      })

      test('write forgets attributes of other bytes, which may be there before', async () => {
        const of = (md5: string) => ({ id: 'a', md5, json: `{"of":"${md5}"}` })
        await index.write({ file: fileOf('a', 'bucket', { md5: 'one' }), kept: of('one') })
        await index.keepAttributes(of('two'))
        const kept = await index.keptAttributes(['a'])
        assert.deepEqual(kept.map((one) => one.md5).sort(), ['one', 'two'])
        await index.write({ file: fileOf('a', 'bucket', { md5: 'two' }) })
        assert.deepEqual(await index.keptAttributes(['a']), [of('two')])
      })

      test('save leaves attributes of the same version as they are', async () => {
        const attributes = '{"etag":"e","metadata":{"long":"kept"}}'
        await index.write({ file: fileOf('a', 'bucket', { attributes, etag: 'own' }) })
        await index.save([fileOf('a', 'bucket', { etag: 'news' })], [])
        await index.saveListed([fileOf('a', 'bucket', { etag: 'news' })], 4)
        const [row] = await index.getMany(['a'])
        assert.deepEqual([row?.attributes, row?.etag], [attributes, 'own'])
        assert.deepEqual(await index.unseen(['bucket'], 4), [], 'it was seen all the same')
        await index.write({ file: fileOf('a', 'bucket', { etag: 'own again' }) })
        assert.equal((await index.getMany(['a']))[0]?.etag, 'own again')
        await index.save([fileOf('a', 'bucket', { etag: 'news', version: 2 })], [])
        assert.equal((await index.getMany(['a']))[0]?.etag, 'news')
        await index.save([], [{ id: 'a', version: 3 }])
        await index.save([fileOf('a', 'bucket', { etag: 'back', version: 3 })], [])
        assert.equal((await index.getMany(['a']))[0]?.etag, 'back')
      })

      test('write leaves newer news as they are, and notes the rest', async () => {
        await index.save([fileOf('a', 'bucket', { version: 9, size: 9 })], [])
        const kept = { id: 'a', md5: 'm', json: '{"kept":1}' }
        assert.equal(await index.write({ file: fileOf('a', 'bucket', { version: 8 }), kept }), true)
        assert.equal((await index.getMany(['a']))[0]?.size, 9)
        assert.deepEqual(await index.keptAttributes(['a']), [kept])
        await index.save([folderOf('f', 'bucket')], [])
        await index.removeEmptyFolder('f')
        await index.save([fileOf('b', 'f', { version: 9 })], [])
        const late = { file: fileOf('b', 'f', { version: 8 }) }
        assert.equal(await index.write(late), false, 'the feed was faster, the folder is hidden')
        await index.endRemoval(['f'])
        await index.save([folderOf('f', 'bucket')], [])
        assert.equal(await index.write(late), true)
      })

      test('removeEmptyFolder hides no folder with something in it', async () => {
        await index.save(
          [folderOf('own', 'bucket', { isOwn: true }), folderOf('hand', 'bucket')],
          [],
        )
        await index.save([fileOf('x', 'own')], [])
        assert.equal(await index.removeEmptyFolder('own'), false)
        await index.save([], [{ id: 'x', version: 2 }])
        assert.equal(await index.removeEmptyFolder('hand'), true)
        assert.equal(await index.removeEmptyFolder('own'), true)
        assert.equal(await index.removeEmptyFolder('own'), false)
        assert.equal(await index.write({ file: fileOf('y', 'own') }), false)
      })

      test('removeEmptyFolder keeps news from bringing the folder back, until endRemoval', async () => {
        const later = folderOf('f', 'bucket', { version: 2 })
        await index.save([folderOf('f', 'bucket')], [])
        await index.removeEmptyFolder('f')
        await index.save([later], [])
        assert.equal((await index.getMany(['f']))[0]?.parent, '')
        await index.endRemoval([])
        await index.endRemoval(['f', 'bucket'])
        await index.save([folderOf('f', 'bucket')], [])
        assert.equal(
          (await index.getMany(['f', 'bucket'])).every((row) => row.parent !== ''),
          true,
        )
        await index.removeEmptyFolder('f')
        await index.save([], [{ id: 'f', version: 2 }])
        await index.save([folderOf('f', 'bucket', { version: 3 })], [])
        assert.equal((await index.getMany(['f']))[0]?.parent, 'bucket', 'taken out of the trash')
      })

      test('a folder goes or a file comes into it, never both', async () => {
        for (let round = 0; round < 20; round++) {
          const folder = folderOf(`race${round}`, 'bucket', { isOwn: true })
          await index.save([folder], [])
          const [isGone, isIn] = await Promise.all([
            index.removeEmptyFolder(folder.id),
            index.write({ file: fileOf(`in${round}`, folder.id) }),
          ])
          assert.notEqual(isGone, isIn)
        }
      })

      test('claim lets one have it', async () => {
        const seen = await stateNow()
        const claims = await Promise.all(
          ['a', 'b', 'c'].map((owner) => index.claim(root, seen, { owner, untilMs: 5 })),
        )
        assert.equal(claims.filter(Boolean).length, 1)
        assert.equal((await stateNow()).untilMs, 5)
      })

      test('a crawl lists every folder once, and tells what it did not see', async () => {
        await index.save([folderOf('f', 'bucket'), fileOf('gone', 'f'), fileOf('stays', 'f')], [])
        await index.listed(await index.unlisted(10), 0)
        assert.deepEqual(await index.unlisted(10), [])
        const before = await stateNow()
        assert.equal(await index.beginCrawl(root, before, 'token'), true)
        assert.equal(await index.beginCrawl(root, before, 'other'), false)
        const { crawl, isReady, pageToken } = await stateNow()
        assert.deepEqual([crawl, isReady, pageToken], [1, false, 'token'])
        assert.deepEqual((await index.unlisted(10)).sort(), ['bucket', 'f'])
        assert.equal((await index.unlisted(1)).length, 1)
        await index.saveListed(
          [folderOf('g', 'bucket'), folderOf('f', 'bucket'), fileOf('stays', 'f')],
          crawl,
        )
        assert.deepEqual(await index.unseen(['f', 'bucket'], crawl), ['gone'])
        await index.listed(['bucket', 'f'], crawl)
        assert.deepEqual(await index.unlisted(10), ['g'])
        await index.listed(['g'], crawl)
        await index.endCrawl(root)
        assert.equal((await stateNow()).isReady, true)
      })

      test('look is sure while the content of all folders is known', async () => {
        const look = () => index.look([root], [sortNameOf('bucket', 'folder')], 'folder')
        const unknown = async () => [
          (await look()).isSure,
          await index.hasUnlisted(),
          await index.unlistedOf(['f', 'bucket', 'none']),
        ]
        assert.deepEqual(await unknown(), [true, false, []])
        await index.save([folderOf('f', 'bucket')], [])
        assert.deepEqual(await unknown(), [false, true, ['f']])
        assert.deepEqual(ids((await look()).files), ['bucket'])
        const long = [...'abcdef'].map((name) => sortNameOf(name, 'folder'))
        assert.deepEqual(await index.look([root], long, 'file'), { files: [], isSure: false })
        await index.save([], [{ id: 'f', version: 2 }])
        assert.deepEqual(await unknown(), [true, false, []], 'nobody asks for hidden ones')
        assert.deepEqual(await index.unlisted(10), [])
        await index.save([folderOf('f', 'bucket', { version: 3 })], [])
        assert.deepEqual(await unknown(), [false, true, ['f']])
        await index.listed(['f'], 7)
        assert.deepEqual(await unknown(), [false, true, ['f']], 'it was another crawl')
        await index.beginCrawl(root, await stateNow(), 'token')
        assert.deepEqual(await index.unlisted(10), ['f', 'bucket'])
        await index.listed(['f'], 1)
        assert.deepEqual(await unknown(), [true, false, []], 'what was known is known')
        assert.deepEqual(await index.unlisted(10), ['bucket'])
      })

      test('a folder that comes back is listed again, one that changes is not', async () => {
        await index.save([folderOf('f', 'bucket')], [])
        await index.listed(['f'], 0)
        await index.save([folderOf('f', 'bucket', { version: 2 })], [])
        assert.deepEqual(await index.unlisted(10), [])
        await index.save([], [{ id: 'f', version: 3 }])
        await index.save([folderOf('f', 'bucket', { version: 4 })], [])
        assert.deepEqual(await index.unlisted(10), ['f'])
        assert.equal(await index.write({ file: folderOf('made', 'bucket') }), true)
        assert.deepEqual(await index.unlisted(10), ['f'], 'what is made here is known to be empty')
      })

      test('advance takes a page of the feed once', async () => {
        await index.beginCrawl(root, await stateNow(), 't1')
        const page = {
          from: 't1',
          to: 't2',
          files: [fileOf('a', 'bucket')],
          hidden: [],
          polledAtMs: 7,
        }
        assert.equal(await index.advance(root, page), true)
        const other = { ...page, files: [fileOf('b', 'bucket')] }
        assert.equal(await index.advance(root, other), false)
        assert.deepEqual(ids(await index.getMany(['a', 'b'])), ['a'])
        const { pageToken, polledAtMs } = await stateNow()
        assert.deepEqual([pageToken, polledAtMs], ['t2', 7])
        const hidden = [{ id: 'a', version: 2 }]
        assert.equal(await index.advance(root, { from: 't2', to: 't3', files: [], hidden }), true)
        assert.equal((await index.getMany(['a']))[0]?.parent, '')
        assert.equal((await stateNow()).polledAtMs, 7)
      })

      test('open forgets another root, and not this one', async () => {
        await index.noteStaging(root, 'staging')
        await index.open(root)
        assert.equal(await index.staging(root), 'staging')
        assert.equal((await index.getMany(['bucket'])).length, 1)
        await index.open('elsewhere')
        assert.equal(await index.state(root), undefined)
        assert.deepEqual(await index.getMany(['bucket']), [])
        await index.open(root)
        assert.equal(await index.staging(root), undefined)
      })

      test('tidy forgets what was hidden long ago, with what lay below', async () => {
        const tree = [
          folderOf('f', 'bucket'),
          folderOf('g', 'f'),
          fileOf('x', 'g'),
          fileOf('y', 'bucket'),
        ]
        await index.save([...tree, fileOf('late', 'bucket')], [])
        await index.write({ file: fileOf('y', 'bucket'), kept: { id: 'y', md5: 'm', json: '{}' } })
        await index.save(
          [],
          [
            { id: 'f', version: 2 },
            { id: 'y', version: 2 },
          ],
        )
        nowMs = 5_000
        await index.save([], [{ id: 'late', version: 2 }])
        await index.tidy(1_000)
        assert.equal((await index.getMany(['f', 'g', 'x', 'y', 'late', 'bucket'])).length, 6)
        await index.tidy(2_000)
        const left = await index.getMany(['f', 'g', 'x', 'y', 'late', 'bucket'])
        assert.deepEqual(ids(left).sort(), ['bucket', 'late'])
        assert.deepEqual(await index.keptAttributes(['y']), [])
      })
    })
  })
}

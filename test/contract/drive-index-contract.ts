import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DatabaseLocation } from '../../src/platform/state/open-database.ts'
import {
  type ChildrenQuery,
  sortNameOf,
} from '../../src/storage/drives/google/index/drive-index.ts'
import { fileOf, folderOf, ids, root, useDriveIndex } from './drive-index-fixture.ts'

const odd = 'b"\\é🎉?\'%_'
const all: ChildrenQuery = { from: '', isInclusive: true, hidesEmpty: false, limit: 100 }

/** The contract of the Google drive's index about files and folders, for every database. */
export function describeDriveIndex(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} index of the Google drive`, () => {
    const under = useDriveIndex(createLocation)

    test('find returns only the files at the end of a path', async () => {
      const chain = Array.from({ length: 20 }, (_, depth) =>
        folderOf(`d${depth}`, depth === 0 ? 'bucket' : `d${depth - 1}`),
      )
      const deepest = fileOf('x', 'd19', { sortName: sortNameOf(odd, 'file') })
      await under.index.save([...chain, deepest, fileOf('x2', 'd18', deepest)], [])
      const path = ['bucket', ...ids(chain)].map((id) => sortNameOf(id, 'folder'))
      for (let depth = 1; depth <= path.length; depth++) {
        const found = await under.index.find([root], path.slice(0, depth), 'folder')
        assert.deepEqual(ids(found), [['bucket', ...ids(chain)][depth - 1]])
      }
      const whole = [...path, sortNameOf(odd, 'file')]
      assert.deepEqual(await under.index.find([root], whole, 'file'), [deepest])
      assert.deepEqual(await under.index.find([root], whole, 'folder'), [])
      assert.deepEqual(await under.index.find(['none'], whole, 'file'), [])
      assert.deepEqual(await under.index.find([], whole, 'file'), [])
    })

    test('find searches all folders of the same name, and returns duplicates', async () => {
      const sortName = sortNameOf('same', 'folder')
      await under.index.save(
        [folderOf('f1', 'bucket', { sortName }), folderOf('f2', 'bucket', { sortName })],
        [],
      )
      const duplicate = { sortName: sortNameOf('a', 'file') }
      await under.index.save([fileOf('a1', 'f1', duplicate), fileOf('a2', 'f2', duplicate)], [])
      const found = await under.index.find(['bucket'], [sortName, duplicate.sortName], 'file')
      assert.deepEqual(ids(found).sort(), ['a1', 'a2'])
    })

    test('children returns names in byte order, page by page, the newest of duplicates first', async () => {
      const names = ['', 'B', 'a', 'a-', 'a.', 'a0', 'b', 'é', '\uffff', '😀']
      const files = names.map((text, at) =>
        fileOf(`i${at}`, 'bucket', { sortName: sortNameOf(text, 'file') }),
      )
      const folder = folderOf('folder', 'bucket', { sortName: sortNameOf('a', 'folder') })
      const duplicates = [
        fileOf('t1', 'bucket', {
          sortName: sortNameOf('b', 'file'),
          modifiedAtMs: 2_000_000_000_001,
        }),
        fileOf('t2', 'bucket', { sortName: sortNameOf('b', 'file') }),
      ]
      await under.index.save([...files, folder, ...duplicates, fileOf('other', 'folder')], [])
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
      assert.deepEqual(ids(await under.index.children(['bucket'], all)), expected)
      const from = sortNameOf('a', 'file')
      const page = await under.index.children(['bucket'], { ...all, from, limit: 3 })
      assert.deepEqual(ids(page), ['i2', 'i3', 'i4'])
      const next = await under.index.children(['bucket'], {
        ...all,
        from,
        isInclusive: false,
        limit: 2,
      })
      assert.deepEqual(ids(next), ['i3', 'i4'])
      assert.deepEqual(page[0], {
        ...{ id: 'i2', sortName: from, kind: 'file', size: 3 },
        // Attributes only with a storage class.
        ...{ modifiedAtMs: 2_000_000_000_000, etag: 'e', attributes: '' },
      })
      assert.deepEqual(ids(await under.index.children(['folder', 'none'], all)), ['other'])
      assert.deepEqual(await under.index.children([], all), [])
    })

    test('children omits empty own folders on request', async () => {
      const own = { isOwn: true }
      await under.index.save(
        [folderOf('empty', 'bucket', own), folderOf('full', 'bucket', own)],
        [],
      )
      await under.index.save([folderOf('by hand', 'bucket'), fileOf('x', 'full')], [])
      await under.index.listed(['empty', 'full'], 0)
      await under.index.save([folderOf('not listed', 'bucket', own)], [])
      const seen = await under.index.children(['bucket'], { ...all, hidesEmpty: true })
      assert.deepEqual(ids(seen), ['by hand', 'full', 'not listed'])
    })

    test('save ignores older changes, and keeps the last change of a file', async () => {
      await under.index.save([fileOf('a', 'bucket', { version: 5, size: 5 })], [])
      await under.index.save([fileOf('a', 'bucket', { version: 4, size: 4 })], [])
      assert.equal((await under.index.getMany(['a']))[0]?.size, 5)
      const again = [
        fileOf('a', 'bucket', { version: 6, size: 6 }),
        fileOf('a', 'bucket', { version: 6, size: 7 }),
      ]
      await under.index.save(again, [])
      assert.equal((await under.index.getMany(['a', 'none']))[0]?.size, 7)
      await under.index.save([], [{ id: 'a', version: 5 }])
      assert.equal((await under.index.getMany(['a']))[0]?.parent, 'bucket')
      await under.index.save([], [{ id: 'a', version: 8 }])
      await under.index.save([fileOf('a', 'bucket', { version: 7 })], [])
      assert.equal((await under.index.getMany(['a']))[0]?.parent, '', 'hidden stays hidden')
      await under.index.save([fileOf('a', 'bucket', { version: 9 })], [])
      assert.equal((await under.index.getMany(['a']))[0]?.parent, 'bucket')
    })

    test('save and getMany accept many files', async () => {
      const many = Array.from({ length: 700 }, (_, at) => fileOf(`m${at}`, 'bucket'))
      await under.index.save(
        many,
        ids(many.slice(0, 10)).map((id) => ({ id, version: 2 })),
      )
      assert.equal((await under.index.getMany(ids(many))).length, 700)
      assert.equal((await under.index.children(['bucket'], { ...all, limit: 1000 })).length, 690)
    })

    test('write is all or nothing, and writes nothing in a hidden folder', async () => {
      await under.index.save([folderOf('f', 'bucket'), fileOf('old', 'f')], [])
      const write = {
        file: fileOf('new', 'f'),
        kept: { id: 'new', md5: 'm', json: '{}' },
        hides: [{ id: 'old', version: 2 }],
        upload: { id: 'upload', json: '{"published":1}' },
      }
      assert.equal(await under.index.write(write), true)
      assert.deepEqual(ids(await under.index.children(['f'], all)), ['new'])
      assert.deepEqual(await under.index.keptAttributes(['new', 'none']), [write.kept])
      assert.equal(await under.records.find('upload'), '{"published":1}')
      await under.index.save([], [{ id: 'f', version: 2 }])
      const kept = { id: 'third', md5: 'm', json: '{}' }
      assert.equal(await under.index.write({ file: fileOf('third', 'f'), kept }), false)
      assert.equal(await under.index.write({ file: fileOf('fourth', 'none') }), false)
      assert.deepEqual(await under.index.getMany(['third', 'fourth']), [])
      assert.deepEqual(await under.index.keptAttributes(['third']), [])
      await under.records.remove('upload')
    })

    test('write deletes attributes of other bytes, which may exist before', async () => {
      const of = (md5: string) => ({ id: 'a', md5, json: `{"of":"${md5}"}` })
      await under.index.write({ file: fileOf('a', 'bucket', { md5: 'one' }), kept: of('one') })
      await under.index.keepAttributes(of('two'))
      const kept = await under.index.keptAttributes(['a'])
      assert.deepEqual(kept.map((one) => one.md5).sort(), ['one', 'two'])
      await under.index.write({ file: fileOf('a', 'bucket', { md5: 'two' }) })
      assert.deepEqual(await under.index.keptAttributes(['a']), [of('two')])
    })

    test('save keeps the attributes of the same version', async () => {
      const attributes = '{"etag":"e","metadata":{"long":"kept"}}'
      await under.index.write({ file: fileOf('a', 'bucket', { attributes, etag: 'own' }) })
      await under.index.save([fileOf('a', 'bucket', { etag: 'news' })], [])
      await under.index.saveListed([fileOf('a', 'bucket', { etag: 'news' })], 4)
      const [row] = await under.index.getMany(['a'])
      assert.deepEqual([row?.attributes, row?.etag], [attributes, 'own'])
      assert.deepEqual(await under.index.unseen(['bucket'], 4), [], 'it was seen all the same')
      await under.index.write({ file: fileOf('a', 'bucket', { etag: 'own again' }) })
      assert.equal((await under.index.getMany(['a']))[0]?.etag, 'own again')
      await under.index.save([fileOf('a', 'bucket', { etag: 'news', version: 2 })], [])
      assert.equal((await under.index.getMany(['a']))[0]?.etag, 'news')
      await under.index.save([], [{ id: 'a', version: 3 }])
      await under.index.save([fileOf('a', 'bucket', { etag: 'back', version: 3 })], [])
      assert.equal((await under.index.getMany(['a']))[0]?.etag, 'back')
    })

    test('write keeps newer values from the feed, and stores the rest', async () => {
      await under.index.save([fileOf('a', 'bucket', { version: 9, size: 9 })], [])
      const kept = { id: 'a', md5: 'm', json: '{"kept":1}' }
      assert.equal(
        await under.index.write({ file: fileOf('a', 'bucket', { version: 8 }), kept }),
        true,
      )
      assert.equal((await under.index.getMany(['a']))[0]?.size, 9)
      assert.deepEqual(await under.index.keptAttributes(['a']), [kept])
      await under.index.save([folderOf('f', 'bucket')], [])
      await under.index.removeEmptyFolder('f')
      await under.index.save([fileOf('b', 'f', { version: 9 })], [])
      const late = { file: fileOf('b', 'f', { version: 8 }) }
      assert.equal(
        await under.index.write(late),
        false,
        'the feed was faster, the folder is hidden',
      )
      await under.index.endRemoval(['f'])
      await under.index.save([folderOf('f', 'bucket')], [])
      assert.equal(await under.index.write(late), true)
    })

    test('removeEmptyFolder does not hide a folder with content', async () => {
      await under.index.save(
        [folderOf('own', 'bucket', { isOwn: true }), folderOf('hand', 'bucket')],
        [],
      )
      await under.index.save([fileOf('x', 'own')], [])
      assert.equal(await under.index.removeEmptyFolder('own'), false)
      await under.index.save([], [{ id: 'x', version: 2 }])
      assert.equal(await under.index.removeEmptyFolder('hand'), true)
      assert.equal(await under.index.removeEmptyFolder('own'), true)
      assert.equal(await under.index.removeEmptyFolder('own'), false)
      assert.equal(await under.index.write({ file: fileOf('y', 'own') }), false)
    })

    test('removeEmptyFolder keeps changes from restoring the folder until endRemoval', async () => {
      const later = folderOf('f', 'bucket', { version: 2 })
      await under.index.save([folderOf('f', 'bucket')], [])
      await under.index.removeEmptyFolder('f')
      await under.index.save([later], [])
      assert.equal((await under.index.getMany(['f']))[0]?.parent, '')
      await under.index.endRemoval([])
      await under.index.endRemoval(['f', 'bucket'])
      await under.index.save([folderOf('f', 'bucket')], [])
      assert.equal(
        (await under.index.getMany(['f', 'bucket'])).every((row) => row.parent !== ''),
        true,
      )
      await under.index.removeEmptyFolder('f')
      await under.index.save([], [{ id: 'f', version: 2 }])
      await under.index.save([folderOf('f', 'bucket', { version: 3 })], [])
      assert.equal(
        (await under.index.getMany(['f']))[0]?.parent,
        'bucket',
        'taken out of the trash',
      )
    })

    test('either a folder is removed or a file is added to it, never both', async () => {
      for (let round = 0; round < 20; round++) {
        const folder = folderOf(`race${round}`, 'bucket', { isOwn: true })
        await under.index.save([folder], [])
        const [isGone, isIn] = await Promise.all([
          under.index.removeEmptyFolder(folder.id),
          under.index.write({ file: fileOf(`in${round}`, folder.id) }),
        ])
        assert.notEqual(isGone, isIn)
      }
    })
  })
}

/** Folders of the Google drive: removed when they are empty, listed when they are new. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DriveError } from '../../src/drives/drive.ts'
import { bucket, getText, listKeys, put, rejectsAs } from './drive/stored-object.ts'
import { driveFolder, folderAt, googleWorld, hastyApi } from './google-drive-under-test.ts'
import { replacing } from './replaced-calls.ts'

const home = `${driveFolder}/${bucket}`

describe('a folder that is removed as empty', () => {
  for (const heard of ['nobody told of the file', 'the feed told of the file']) {
    test(`does not take along what is put into it meanwhile (${heard})`, async (t) => {
      const { open, emulator } = await googleWorld(t)
      const [trashing, written, uploading] = Array.from({ length: 3 }, () =>
        Promise.withResolvers<void>(),
      )
      const slow = hastyApi(emulator)
      const remover = await open({
        api: replacing(slow, {
          async trash(id, options) {
            if (emulator.byHand.get(id).content !== undefined) return await slow.trash(id, options)
            trashing?.resolve()
            await written?.promise
            return await slow.trash(id, options)
          },
        }),
      })
      const other = hastyApi(emulator)
      const writer = await open({
        api: replacing(other, {
          async uploadSmall(upload) {
            uploading?.resolve()
            await trashing?.promise
            const file = await other.uploadSmall(upload)
            if (heard.startsWith('the feed')) await keeper.refresh()
            return file
          },
        }),
      })
      const keeper = await open()
      await put(keeper, 'f/g/a', 'a')
      const putting = put(writer, 'f/g/b', 'b')
      await uploading?.promise
      const removing = remover.remove(bucket, 'f/g/a')
      await trashing?.promise
      // It is enough for a writer that takes the folder for one that stays.
      await Promise.race([putting, new Promise((resolve) => setTimeout(resolve, 500))])
      written?.resolve()
      await Promise.all([removing, putting])
      await keeper.refresh()
      assert.equal(await getText(keeper, 'f/g/b'), 'b')
      assert.deepEqual(await listKeys(keeper), ['f/g/b'])
    })
  }

  for (const kind of ['denied', 'unavailable'] as const) {
    test(`is there again when it could not be removed (${kind})`, async (t) => {
      const { open, emulator } = await googleWorld(t)
      const api = hastyApi(emulator)
      const trash = () => Promise.reject(new DriveError(kind, 'not now'))
      const drive = await open({ api: replacing(api, { trash }) })
      emulator.byHand.folder('theirs', folderAt(emulator, home))
      await drive.refresh()
      await rejectsAs(Promise.resolve(drive.removeFolder?.(bucket, 'theirs/')), kind)
      await drive.refresh()
      assert.deepEqual(await listKeys(drive, { delimiter: '/' }), ['theirs/'])
      await put(drive, 'theirs/a', 'x')
      assert.deepEqual(
        emulator.byHand.children(folderAt(emulator, home)).map((child) => child.name),
        ['theirs'],
      )
    })
  }
})

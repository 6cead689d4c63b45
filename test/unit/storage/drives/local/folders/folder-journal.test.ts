import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import {
  FolderJournal,
  readJournals,
} from '../../../../../../src/storage/drives/local/folders/folder-journal.ts'
import {
  openLocalRoot,
  processFolderOf,
} from '../../../../../../src/storage/drives/local/local-root.ts'
import { tempFolder } from '../temp-folder.ts'

const noteOf = (key: string) => ({ bucket: 'b', key, making: [] })

test('a journal stays small even if some entry is always open', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  const journal = new FolderJournal(root)
  const forever = journal.open()
  await forever.note(noteOf('forever'))
  for (let index = 0; index < 2000; index++) {
    const entry = journal.open()
    await entry.note(noteOf(`${index}-${'x'.repeat(1000)}`))
    await entry.close()
  }
  const [name = ''] = fs.readdirSync(processFolderOf(root))
  assert.ok(fs.statSync(`${processFolderOf(root)}/${name}`).size < 300 * 1024)
  const notes = await readJournals(root, processFolderOf(root))
  assert.ok(notes.some(({ key }) => key === 'forever'))
  await forever.close()
  assert.deepEqual(await readJournals(root, processFolderOf(root)), [])
  await journal.close()
})

test('a journal returns all notes of a key, also after it was rewritten', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  const journal = new FolderJournal(root)
  const entry = journal.open()
  const making = Array.from({ length: 600 }, (_, depth) => `b${'/d'.repeat(depth + 1)}`)
  for (const path of making) await entry.note({ bucket: 'b', key: 'k', making: [path] })
  await journal.open().note(noteOf('other'))
  const [name = ''] = fs.readdirSync(processFolderOf(root))
  const { size } = fs.statSync(`${processFolderOf(root)}/${name}`)
  assert.ok(size > 256 * 1024 && size < 600 * (1200 + 50))
  const told = [{ bucket: 'b', key: 'k', making }, noteOf('other')]
  assert.deepEqual(await readJournals(root, processFolderOf(root)), told)
  await journal.close()
})

test('journals of a folder that another process sweeps at the same time are empty', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  assert.deepEqual(await readJournals(root, `${root.path}/gone`), [])
})

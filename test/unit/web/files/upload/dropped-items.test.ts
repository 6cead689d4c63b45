import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type DroppedEntry,
  readDropped,
} from '../../../../../web/src/files/upload/dropped-items.ts'

function fileEntry(name: string): DroppedEntry {
  return {
    ...{ isFile: true, isDirectory: false, name },
    file: (onFile) => onFile(new File([], name)),
  }
}

/** Returns a hundred entries at a time, then none, as browsers do. */
function folderEntry(name: string, children: readonly DroppedEntry[]): DroppedEntry {
  return {
    ...{ isFile: false, isDirectory: true, name },
    createReader: () => {
      let at = 0
      return {
        readEntries: (onEntries) => {
          onEntries(children.slice(at, at + 100))
          at += 100
        },
      }
    },
  }
}

const quiet = { signal: new AbortController().signal, onFound: () => undefined }

async function pathsOf(entries: readonly DroppedEntry[]) {
  const { items } = await readDropped(entries, quiet)
  return items.map(({ path, file }) => [path, file !== undefined])
}

describe('readDropped', () => {
  test('returns files with their folders, in listing order', async () => {
    const tree = folderEntry('trip', [
      fileEntry('img10'),
      folderEntry('b', [fileEntry('x')]),
      fileEntry('img2'),
      folderEntry('a', [fileEntry('y')]),
    ])
    assert.deepEqual(await pathsOf([fileEntry('top'), tree]), [
      ['top', true],
      ['trip/img10', true],
      ['trip/img2', true],
      ['trip/a/y', true],
      ['trip/b/x', true],
    ])
  })

  test('reads all of a folder with more than a hundred entries', async () => {
    const many = Array.from({ length: 250 }, (_, index) => fileEntry(String(index)))
    assert.equal((await pathsOf([folderEntry('many', many)])).length, 250)
  })

  test('returns an empty folder', async () => {
    const tree = folderEntry('a', [folderEntry('b', [])])
    assert.deepEqual(await pathsOf([tree]), [['a/b/', false]])
  })

  test('returns nothing for nothing', async () => {
    assert.deepEqual(await pathsOf([]), [])
  })

  test('reports what could not be read and reads the rest', async () => {
    const locked: DroppedEntry = {
      ...{ isFile: true, isDirectory: false, name: 'locked' },
      file: (_onFile, onError) => onError(new Error('no')),
    }
    const gone: DroppedEntry = {
      ...{ isFile: false, isDirectory: true, name: 'gone' },
      createReader: () => ({ readEntries: (_onEntries, onError) => onError(new Error('no')) }),
    }
    const { items, unreadable } = await readDropped([locked, gone, fileEntry('ok')], quiet)
    assert.deepEqual(
      items.map(({ path }) => path),
      ['ok'],
    )
    assert.deepEqual(unreadable, ['locked', 'gone/'])
  })

  test('stops when aborted', async () => {
    const stop = new AbortController()
    const endless: DroppedEntry = {
      ...{ isFile: false, isDirectory: true, name: 'endless' },
      createReader: () => ({ readEntries: (onEntries) => onEntries([fileEntry('x')]) }),
    }
    const reading = readDropped([folderEntry('a', [fileEntry('x')]), endless], {
      signal: stop.signal,
      onFound: (count) => {
        if (count > 0) stop.abort()
      },
    })
    await assert.rejects(reading, { name: 'AbortError' })
  })
})

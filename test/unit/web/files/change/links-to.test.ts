import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksTo } from '../../../../../web/src/files/change/links-to.ts'
import { folderEntry } from '../../../../../web/src/files/entries/entry.ts'

const link = { kind: 'file', bucket: 'files', path: 'a/b.txt', items: [], end: null } as const
const folder = { ...link, kind: 'folder', path: 'a/' } as const
const chosen = { ...folder, path: '', items: ['a/b.txt', 'c/'] } as const
const drop = { ...folder, kind: 'drop' } as const
const file = (key: string) => {
  return { kind: 'file', key, name: key, size: 0, modifiedAtMs: 0, etag: '' } as const
}

test('linksTo counts the links to a file, also those that share it with others', () => {
  const links = [link, folder, chosen, drop, { ...link, path: 'a/b.txt.old' }]
  assert.deepEqual(linksTo(links, 'files', [file('a/b.txt')]), { views: 2, drops: 0 })
})

test('linksTo counts the links to a folder and into it, not those to the folder above', () => {
  const links = [link, folder, chosen, drop, { ...folder, path: '' }, { ...link, path: 'a' }]
  assert.deepEqual(linksTo(links, 'files', [folderEntry('a/', '')]), { views: 3, drops: 1 })
})

test('linksTo counts a link to several of the entries once', () => {
  const entries = [file('a/b.txt'), folderEntry('c/', '')]
  assert.deepEqual(linksTo([chosen], 'files', entries), { views: 1, drops: 0 })
})

test('linksTo leaves out links that have ended or are in another bucket', () => {
  const links = [{ ...link, end: 'expired' } as const, { ...link, bucket: 'other' }]
  assert.deepEqual(linksTo(links, 'files', [file('a/b.txt')]), { views: 0, drops: 0 })
  assert.deepEqual(linksTo([link], 'other', [{ ...file('a/b.txt'), bucket: 'files' }]), {
    views: 1,
    drops: 0,
  })
})

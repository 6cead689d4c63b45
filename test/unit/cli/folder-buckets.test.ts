import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { bucketsIn, dataFolderFor } from '../../../src/cli/folder-buckets.ts'

test('The folders of a folder are buckets if their names are legal', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-folders-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['photos', 'backup.2026', 'My Photos', 'v1', '.bucketry', '.git']) {
    mkdirSync(join(folder, name))
  }
  writeFileSync(join(folder, 'notes'), '')
  symlinkSync('photos', join(folder, 'linked'))
  assert.deepEqual(bucketsIn(folder), {
    buckets: ['backup.2026', 'photos'],
    others: ['My Photos', 'v1'],
  })
})

test('A folder that does not exist yet has no buckets', () => {
  assert.deepEqual(bucketsIn('/nonexistent/folder'), { buckets: [], others: [] })
})

test('Each folder has data of its own, the same from any working directory', () => {
  const base = { home: '/home/ann', dataHome: undefined }
  const path = dataFolderFor('/srv/files', base)
  assert.match(path, /^\/home\/ann\/\.local\/share\/bucketry\/files-[0-9a-f]{8}$/)
  assert.equal(dataFolderFor('/srv/x/../files/', base), path)
  assert.notEqual(dataFolderFor('/mnt/files', base), path)
  assert.match(dataFolderFor('/', base), /\/root-[0-9a-f]{8}$/)
  assert.match(dataFolderFor('/srv', { ...base, dataHome: '/data' }), /^\/data\/bucketry\/srv-/)
  // The specification ignores relative paths.
  assert.match(dataFolderFor('/srv', { ...base, dataHome: 'data' }), /^\/home\/ann\//)
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import {
  bucketsIn,
  dataFolderFor,
  homeFolder,
  otherFolderWarnings,
} from '../../../../src/app/cli/folder-buckets.ts'

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
  const base = { home: () => '/home/ann', dataHome: undefined }
  const path = dataFolderFor('/srv/files', base)
  assert.match(path, /^\/home\/ann\/\.local\/share\/bucketry\/files-[0-9a-f]{8}$/)
  assert.equal(dataFolderFor('/srv/x/../files/', base), path)
  assert.notEqual(dataFolderFor('/mnt/files', base), path)
  assert.match(dataFolderFor('/', base), /\/root-[0-9a-f]{8}$/)
  assert.match(dataFolderFor('/srv', { ...base, dataHome: '/data' }), /^\/data\/bucketry\/srv-/)
  // The specification ignores relative paths.
  assert.match(dataFolderFor('/srv', { ...base, dataHome: 'data' }), /^\/home\/ann\//)
})

test('A folder has the same data through a symbolic link, also before it exists', (t) => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'bucketry-folders-')))
  t.after(() => rmSync(parent, { recursive: true }))
  const base = { home: () => assert.fail('the home folder is not needed'), dataHome: '/data' }
  mkdirSync(join(parent, 'files'))
  symlinkSync('files', join(parent, 'link'))
  assert.equal(
    dataFolderFor(join(parent, 'link'), base),
    dataFolderFor(join(parent, 'files'), base),
  )
  assert.equal(
    dataFolderFor(join(parent, 'link/new'), base),
    dataFolderFor(join(parent, 'files/new'), base),
  )
})

test('The data of a folder with a long name has a name that file systems accept', () => {
  const base = { home: () => '/home/ann', dataHome: undefined }
  const name = basename(dataFolderFor(`/srv/${'é'.repeat(120)}`, base))
  assert.ok(Buffer.byteLength(name) <= 255 - '.bucketry.env.'.length, name)
})

test('A user without a home folder is told to set DATA_DIR', (t) => {
  const { HOME } = process.env
  t.after(() => {
    process.env.HOME = HOME
  })
  process.env.HOME = ''
  assert.throws(homeFolder, /DATA_DIR is not set/)
})

test('One warning names the folders that are not served', () => {
  assert.deepEqual(otherFolderWarnings([]), [])
  assert.deepEqual(otherFolderWarnings(['A', 'B C']), [
    'folders whose names are not legal bucket names are not served: "A", "B C"',
  ])
  const many = Array.from({ length: 3_000 }, (_, index) => `B${index}`)
  const [warning = ''] = otherFolderWarnings(many)
  assert.match(warning, /"B9" and 2990 more$/)
})

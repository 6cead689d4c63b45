import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type DriveLocations, driveLocations } from '../../../../src/app/fleet/known-drives.ts'
import { driveLocation } from '../../../../src/app/settings/drive-kinds.ts'

function locationsOf(drive: string): Promise<DriveLocations> {
  const own = {
    name: '',
    isReadOnly: false,
    gdriveDelete: 'trash',
    s3DriveAddressing: 'path',
  } as const
  return driveLocations({ ...own, drive: driveLocation(drive) })
}

test('every spelling of a WebDAV address is one location', async () => {
  const one = 'webdav+http://example.com/dav/my%20files/~a'
  const spellings = [
    'webdav+http://example.com/dav/my%20files/~a',
    'webdav+http://example.com/dav/my%20files/~a/',
    'webdav+http://example.com/dav/my%20files/~a//',
    'webdav+http://example.com//dav///my files/%7Ea',
    'webdav+http://example.com:80/dav/./x/../my%20files/~a',
    'webdav+http://example.com/dav/%2E/x/%2e%2E/my%20files/%7ea/',
    'webdav+http://EXAMPLE.com/%64av/my%20files/~a',
    'webdav+http://user:secret@example.com/dav/my%20files/~a/',
    'webdav+http://other@example.com/dav/my%20files/~a',
  ]
  for (const spelling of spellings) assert.equal((await locationsOf(spelling))[0], one, spelling)
})

test('different WebDAV folders are different locations', async () => {
  const addresses = [
    'webdav+http://example.com',
    'webdav+https://example.com',
    'webdav+http://example.com:8080',
    'webdav+http://example.com/dav',
    'webdav+http://example.com/DAV',
    'webdav+http://example.com/dav/a%2Fb',
    'webdav+http://example.com/dav/a/b',
    'webdav+http://example.com/dav/a%252Fb',
  ]
  const locations = await Promise.all(
    addresses.map(async (address) => (await locationsOf(address))[0]),
  )
  assert.equal(new Set(locations).size, addresses.length)
})

test('a path of Google Drive is one location however many slashes it has', async () => {
  for (const spelling of ['gdrive:a/b', 'gdrive:/a//b/']) {
    assert.equal((await locationsOf(spelling))[0], 'gdrive:a/b')
  }
})

test('a folder is remembered by its real path and by the path of DRIVE', async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bucketry-locations-')))
  t.after(() => rmSync(folder, { recursive: true }))
  symlinkSync(folder, join(folder, 'link'))
  assert.deepEqual(await locationsOf(`file:${folder}`), [`file:${folder}`])
  assert.deepEqual(await locationsOf(`file:${folder}/link/link/absent/drive`), [
    `file:${folder}/absent/drive`,
    `file:${folder}/link/link/absent/drive`,
  ])
})

test('no form of a location has a password', async () => {
  const locations = await locationsOf('webdav+http://user:secret@example.com/dav/')
  assert.deepEqual(locations, ['webdav+http://example.com/dav', 'webdav+http://example.com/dav/'])
})

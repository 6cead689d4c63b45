import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { DavServer } from '../../../../../../src/storage/drives/webdav/client/dav-server.ts'
import { readSmallFile } from '../../../../../../src/storage/drives/webdav/objects/own-files.ts'

/** A server that breaks its first answers off after one byte. */
function serverOf(broken: number) {
  let gets = 0
  const body = async function* () {
    gets += 1
    yield Buffer.from('a')
    if (gets <= broken)
      throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    yield Buffer.from('b')
  }
  const get = async () => ({ status: 200, header: () => undefined, body: Readable.from(body()) })
  return { server: { get } as unknown as DavServer, gets: () => gets }
}

test('a small file is read again when the answer breaks off', async () => {
  const { server, gets } = serverOf(2)
  assert.equal(String(await readSmallFile(server, ['f'], 10)), 'ab')
  assert.equal(gets(), 3)
})

test('a small file whose answer always breaks off causes a DriveError', async () => {
  const { server } = serverOf(100)
  await assert.rejects(readSmallFile(server, ['f'], 10), {
    name: 'DriveError',
    kind: 'unavailable',
  })
})

test('a file that is too large is not read to the end', async () => {
  const { server } = serverOf(0)
  await assert.rejects(readSmallFile(server, ['f'], 1), { name: 'DriveError', kind: 'denied' })
})

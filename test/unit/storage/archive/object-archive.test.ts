import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type ArchiveRequest, openArchive } from '../../../../src/storage/archive/object-archive.ts'
import type { Drive, OpenObject } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { put } from '../../dashboard/management/management-fixture.ts'
import { readZip, zipTarget } from './zip-folder.ts'

const { signal } = new AbortController()

async function driveWith(...keys: readonly string[]): Promise<Drive> {
  const drive = openMemoryDrive()
  await drive.prepare(['files'])
  for (const key of keys) await put(drive, key, key.endsWith('/') ? '' : `text of ${key}`)
  return drive
}

async function textsOf(
  t: TestContext,
  request: Omit<ArchiveRequest, 'bucket' | 'signal'>,
): Promise<Readonly<Record<string, string | null>>> {
  const { path, write } = await zipTarget(t)
  const body = await openArchive({ bucket: 'files', signal, ...request })
  await body.lend(write)
  await body.close()
  const { bad, entries } = readZip(path)
  assert.equal(bad, null)
  return Object.fromEntries(entries.map(([name, , , , text]) => [name, text]))
}

/** The drive, where opening this key does something else. */
function where(drive: Drive, key: string, opens: () => Promise<OpenObject | undefined>) {
  const open: Drive['open'] = (bucket, wanted, options) =>
    wanted === key ? opens() : drive.open(bucket, wanted, options)
  return { list: drive.list.bind(drive), open }
}

describe('openArchive', () => {
  test('has what is in a folder, with names below it', async (t) => {
    const drive = await driveWith('a/1.txt', 'a/b/', 'a/b/2.txt', 'a/', 'b.txt')
    assert.deepEqual(await textsOf(t, { drive, prefix: 'a/' }), {
      '1.txt': 'text of a/1.txt',
      'b/': '',
      'b/2.txt': 'text of a/b/2.txt',
    })
  })

  test('has the times of the files that were uploaded', async (t) => {
    const drive = await driveWith()
    for (const [key, mtime] of [
      ['own', '1000000000.5'],
      ['odd', '1e99'],
    ] as const) {
      const draft = await drive.draft('files', key, {})
      await draft.publish({ etag: 'e', headers: {}, metadata: { mtime } })
    }
    const { path, write } = await zipTarget(t)
    const body = await openArchive({ drive, bucket: 'files', prefix: '', signal })
    await body.lend(write)
    await body.close()
    const years = new Map(readZip(path).entries.map(([name, , [year]]) => [name, year]))
    assert.equal(years.get('own'), 2001)
    assert.equal(years.get('odd'), new Date().getFullYear())
  })

  test('has only the entries that are named, each once', async (t) => {
    const drive = await driveWith('a/1', 'a/2', 'a/2x', 'a/c/3', 'a/cd/4')
    const names = ['2', 'c/', 'c/', '2']
    assert.deepEqual(Object.keys(await textsOf(t, { drive, prefix: 'a/', names })), ['2', 'c/3'])
  })

  test('gives safe names to hostile keys', async (t) => {
    const drive = await driveWith('../x', '/etc/y', 'a', 'a/b')
    const names = Object.keys(await textsOf(t, { drive, prefix: '' }))
    assert.deepEqual(names.sort(), ['__/x', '_/etc/y', 'a', 'a (2)/b'].sort())
  })

  test('names files that vanished or cannot be read', async (t) => {
    const drive = await driveWith('a', 'b', 'c', 'missing-files.txt')
    const gone = where(drive, 'b', async () => undefined)
    const denied = where({ ...drive, ...gone } as Drive, 'c', async () => {
      throw new DriveError('denied', 'no')
    })
    const texts = await textsOf(t, { drive: denied, prefix: '' })
    assert.deepEqual(Object.keys(texts), ['a', 'missing-files.txt', 'missing-files (2).txt'])
    assert.match(texts['missing-files (2).txt'] ?? '', /\r\nb\r\nc\r\n$/)
  })

  test('waits for a busy drive', async (t) => {
    const drive = await driveWith('a')
    let tries = 0
    const busy = where(drive, 'a', async () => {
      tries += 1
      if (tries === 1) throw new DriveError('busy', 'later')
      return await drive.open('files', 'a')
    })
    assert.deepEqual(await textsOf(t, { drive: busy, prefix: '' }), { a: 'text of a' })
  })

  test('rejects when the drive fails or a file changes while it is read', async () => {
    const drive = await driveWith('a')
    for (const failing of [
      where(drive, 'a', async () => {
        throw new DriveError('unavailable', 'away')
      }),
      where(drive, 'a', async () => {
        const object = await drive.open('files', 'a')
        assert.ok(object)
        return { ...object, close: () => object.close(), size: 100 }
      }),
    ]) {
      const body = await openArchive({ drive: failing, bucket: 'files', prefix: '', signal })
      await assert.rejects(body.lend(async () => undefined))
      await body.close()
    }
  })

  test('rejects before anything is sent if the folder cannot be listed', async () => {
    const drive = await driveWith()
    const request = { drive, bucket: 'none', prefix: '', signal }
    await assert.rejects(openArchive(request), { kind: 'no-bucket' })
  })

  test('stops with the client, and closes what it had open', async () => {
    const drive = await driveWith('a', 'b')
    const client = new AbortController()
    let opened = 0
    const counting = where(drive, 'a', async () => {
      opened += 1
      const object = await drive.open('files', 'a')
      assert.ok(object)
      const close = async () => {
        opened -= 1
        await object.close()
      }
      return { ...object, read: object.read.bind(object), close }
    })
    const request = { drive: counting, bucket: 'files', prefix: '', signal: client.signal }
    const body = await openArchive(request)
    client.abort()
    await assert.rejects(body.lend(async () => undefined))
    await body.close()
    assert.equal(opened, 0)
  })
})

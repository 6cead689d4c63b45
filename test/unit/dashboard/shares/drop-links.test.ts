import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { answerDrop } from '../../../../src/dashboard/shares/drop-links.ts'
import type { Share } from '../../../../src/dashboard/shares/share.ts'
import { ShareRefusal } from '../../../../src/dashboard/shares/share-texts.ts'
import type { ShareHandlerParts, Visit } from '../../../../src/dashboard/shares/visit.ts'
import type { HttpRequest } from '../../../../src/platform/http/message.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { keysOf, put } from '../management/management-fixture.ts'

const bucket = 'files'

/** Sends a file of 3 bytes, and answers with its status or that of the refusal. */
async function send(
  count: ShareHandlerParts['table']['count'],
  rowNow: Partial<Share> = {},
  drive = openMemoryDrive(),
) {
  await drive.prepare([bucket])
  const share = {
    ...{ shareId: 'id', tokenHash: 'hash', bucket, path: 'd/', types: [], maxFileBytes: 0 },
    ...{ maxUses: 1, uses: 0, maxBytes: 0, bytes: 0 },
  } as unknown as Share
  const failures: unknown[] = []
  const parts = {
    ...{ drive, now: () => 1, onFailure: (error: unknown) => void failures.push(error) },
    table: { count, find: async () => ({ ...share, ...rowNow, json: '{}' }) },
    makers: {
      async send(_: Share, { key, body }: { key: string; body: Readable }) {
        try {
          for await (const _chunk of body) void _chunk
        } catch {
          return { status: 400, headers: [] }
        }
        await put(drive, key, 'abc')
        const { versionId, attributes } = (await drive.head(bucket, key)) ?? assert.fail()
        const version = versionId === undefined ? [] : [['x-amz-version-id', versionId]]
        return { status: 200, headers: [['ETag', `"${attributes.etag}"`], ...version] }
      },
    },
  } as unknown as ShareHandlerParts
  const headers = { 'content-length': '3' }
  const request = { id: 'r', method: 'PUT', headers, body: Readable.from([Buffer.from('abc')]) }
  const visit = { share, token: 't', rest: '/a.txt', isSecure: false, request }
  const reply = await answerDrop(
    { ...visit, request: request as unknown as HttpRequest } as Visit,
    parts,
  ).catch((error) => {
    if (!(error instanceof ShareRefusal)) throw error
    return { status: error.refusal.status }
  })
  return { status: 'status' in reply && reply.status, keys: await keysOf(drive), failures }
}

test('a file that is counted is kept', async () => {
  const { status, keys, failures } = await send(async () => true)
  assert.deepEqual([status, keys, failures], [201, ['d/a.txt'], []])
})

test('a file for which another process has left no room is not published', async () => {
  const { status, keys } = await send(() => assert.fail('counted'), { uses: 1 })
  assert.deepEqual([status, keys], [413, []])
})

test('a file that another process was faster than is removed again', async () => {
  const { status, keys } = await send(async () => false)
  assert.deepEqual([status, keys], [413, []])
})

test('a file is kept if the database does not respond when it is counted', async () => {
  const away = new Error('away')
  const { status, keys, failures } = await send(() => Promise.reject(away))
  assert.deepEqual([status, keys, failures], [201, ['d/a.txt'], [away]])
})

test('in a bucket with versions, such a file leaves no version, unless it is locked', async () => {
  for (const isLocked of [false, true]) {
    const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
    const count = async () => {
      if (isLocked) await drive.setAttributes?.(bucket, 'd/a.txt', { legalHold: true })
      return false
    }
    const { status, keys, failures } = await send(count, {}, drive)
    assert.deepEqual([status, keys, failures], [413, [], []])
    const versions = drive.listVersions?.(bucket, { prefix: '', after: '' }) ?? assert.fail()
    assert.equal((await versions.next(9)).length, isLocked ? 2 : 0)
  }
})

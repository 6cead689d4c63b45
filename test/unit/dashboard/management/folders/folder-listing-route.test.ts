import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FolderLine,
  folderListingRoute,
} from '../../../../../src/dashboard/management/folders/folder-listing-route.ts'
import type { ManagementApiParts } from '../../../../../src/dashboard/management/management-parts.ts'
import type { StreamBody } from '../../../../../src/platform/http/message.ts'
import { PassedReply } from '../../../../../src/platform/json-api/route.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import type { Entry } from '../../../../../src/storage/drives/listed-entry.ts'
import { servedBuckets } from '../../../../support/served-buckets.ts'

/** The route over a drive that has these entries, and fails at the end with the error. */
function opened(count: number, error?: Error) {
  const asked = { pages: 0 }
  let at = 0
  const drive: Pick<ManagementApiParts['drive'], 'list'> = {
    list: () => ({
      seek: () => undefined,
      async next(limit) {
        asked.pages += 1
        if (at >= count && error !== undefined) throw error
        const page = Array.from({ length: Math.min(limit, count - at) }, (_, index): Entry => {
          return { kind: 'folder', key: `${String(at + index).padStart(7, '0')}/` }
        })
        at += page.length
        return page
      },
    }),
  }
  const parts = { buckets: servedBuckets(['files'], []), drive } as unknown as ManagementApiParts
  const route = folderListingRoute(parts)
  const open = async (): Promise<StreamBody> => {
    const query = { bucket: 'files', prefix: '', filter: '', after: '', limit: 100_000 }
    const reply = await route.answer({ query } as Parameters<typeof route.answer>[0])
    assert.ok(reply instanceof PassedReply)
    return reply.reply.body as StreamBody
  }
  return { open, asked }
}

async function linesOf(body: StreamBody): Promise<FolderLine[]> {
  const lines: FolderLine[] = []
  await body.lend(async (chunk) => {
    lines.push(JSON.parse(Buffer.from(chunk).toString()))
  })
  await body.close()
  return lines
}

test('a reply has at most 100,000 entries, and says where the next one continues', async () => {
  const { open, asked } = opened(150_000)
  const lines = await linesOf(await open())
  assert.equal(lines.length, 200)
  assert.equal(lines.at(-1)?.next, '0099999/')
  assert.equal(asked.pages, 200)
})

test('a drive that fails meanwhile ends the lines with its reason', async () => {
  const reason = 'Could not read files/a (EACCES). Check the permissions.'
  const lines = await linesOf(await opened(700, new DriveError('unavailable', reason)).open())
  assert.deepEqual(lines.at(-1), { entries: [], message: reason })
  assert.ok(lines.every((line) => !('next' in line)))
  const first = opened(0, new DriveError('unavailable', reason)).open()
  await assert.rejects(first, { status: 503, message: reason })
  const bug = new TypeError('a bug')
  await assert.rejects(linesOf(await opened(700, bug).open()), bug)
})

test('the drive is read no faster than the client reads, and not after it has left', async () => {
  const { open, asked } = opened(150_000)
  const body = await open()
  const taken = Promise.withResolvers<void>()
  let chunks = 0
  const lending = body.lend(async () => {
    chunks += 1
    await taken.promise
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([chunks, asked.pages], [1, 1])
  await body.close()
  taken.resolve()
  await lending
  assert.ok(asked.pages <= 2)
})

test('a process sends 64 replies at a time', async () => {
  const { open } = opened(150_000)
  const bodies = await Promise.all(Array.from({ length: 64 }, open))
  await assert.rejects(open(), { status: 503 })
  await bodies[0]?.close()
  await (await open()).close()
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reset } from '../../../../src/app/start/reset.ts'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import type { Mount } from '../../../../src/storage/drives/route/mount.ts'

const versioning = { changes: [1] }
const query = { prefix: '', after: '' }

async function lockedDrive(): Promise<Drive> {
  const versioningOf = (bucket: string) => (bucket === 'kept' ? versioning : undefined)
  const drive = openMemoryDrive({ versioningOf })
  await drive.prepare(['kept', 'plain'])
  const attributes = { etag: 'e', headers: {}, metadata: {} }
  const write = async (bucket: string, more = {}) =>
    await (await drive.draft(bucket, 'k', {})).publish({ ...attributes, ...more })
  await write('plain')
  await write('kept', { legalHold: true })
  await write('kept', { retention: { mode: 'COMPLIANCE', untilMs: Date.now() + 86_400_000 } })
  await drive.remove('kept', 'k')
  return drive
}

function partsOf(drive: Drive, mounts: number) {
  const mount: Mount = { name: '', drive, isReadOnly: false }
  return {
    ...{ drive, mounts: Array.from({ length: mounts }, () => mount) },
    uploads: { listOpen: async () => [], abortById: async () => false },
    buckets: {
      all: () => [
        { name: 'plain', isPublic: false },
        { name: 'kept', isPublic: false, versioning },
      ],
    },
  }
}

test('A reset removes all versions and delete markers, also locked ones', async () => {
  const drive = await lockedDrive()
  await reset(partsOf(drive, 1))
  for (const bucket of ['plain', 'kept']) {
    assert.deepEqual(await drive.listVersions?.(bucket, query).next(10), [])
  }
})

test('A reset keeps what is locked if there is another drive', async () => {
  const drive = await lockedDrive()
  await assert.rejects(reset(partsOf(drive, 2)), { kind: 'locked' })
  const left = (await drive.listVersions?.('kept', query).next(10)) ?? []
  assert.equal(left.filter((entry) => entry.kind === 'object' && !entry.isDeleteMarker).length, 2)
})

import assert from 'node:assert/strict'
import nodeFs from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { FileCalls, mayHang, refusing } from '../../../../../src/storage/drives/local/file-calls.ts'
import { assertWithin } from '../../../../support/assert-within.ts'

const mounts = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw
30 27 0:30 / /srv/nas rw,relatime shared:3 - nfs4 nas:/export rw,hard
31 27 254:1 / /srv/disk rw,relatime - xfs /dev/vdb rw
32 31 0:32 / /srv/disk/photos/old\\040ones rw - fuse.sshfs user@host: rw
33 27 0:33 / /mnt rw - cifs //nas/share rw
34 27 254:2 / /mnt rw - btrfs /dev/vdc rw
35 27 0:35 / /new rw - newfs device rw
`

test('calls may hang on file systems of servers, of unknown types, and above such mounts', () => {
  const folders = {
    '/srv/nas': true,
    '/srv/nas/below': true,
    '/srv/nas2': false,
    '/srv': true,
    '/srv/disk': true,
    '/srv/disk/photos/old ones/x': true,
    '/srv/disk/photos/new': false,
    '/home/me': false,
    // Mounted over the share.
    '/mnt/a': false,
    '/new/a': true,
  }
  for (const [folder, expected] of Object.entries(folders)) {
    assert.equal(mayHang(folder, mounts), expected, folder)
  }
})

test('a call that waits for others costs the same, however many wait', async () => {
  const costOf = async (waiting: number) => {
    const calls = new FileCalls('/')
    const before = process.cpuUsage()
    const ended = Array.from({ length: waiting }, () => calls.run(async () => undefined))
    await Promise.resolve()
    calls.limit(16)
    await Promise.all(ended)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / waiting
  }
  await costOf(1_000)
  const few = await costOf(1_000)
  const many = await costOf(16_000)
  assert.ok(many < few * 4 + 20, `${few} µs, then ${many} µs`)
})

test('a slow drive is waited for while its file system answers', async () => {
  const drive = { bucketCreatedAtMs: () => sleep(2_500, 1) } as Pick<Drive, 'bucketCreatedAtMs'>
  assert.equal(await refusing(drive, new FileCalls('/')).bucketCreatedAtMs('bucket'), 1)
})

test('probes of a drive whose file system does not answer fail within two seconds', async (t) => {
  t.mock.method(nodeFs, 'statfs', () => undefined)
  const drive = { check: () => new Promise<void>(() => undefined) } as Pick<Drive, 'check'>
  await assertWithin(2_000, async () => {
    const startedAtMs = performance.now()
    await assert.rejects(refusing(drive, new FileCalls('/')).check(), DriveError)
    return performance.now() - startedAtMs
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayHang } from '../../../../src/drives/local/file-calls.ts'

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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bucket, getText, listKeys, put } from '../../contract/drive/stored-object.ts'
import { makeDriveOn, makeNextcloudDrive } from '../../contract/webdav-drive-under-test.ts'
import { shareOf } from '../../support/test-groups.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'

const timeout = 300_000

/** The longest possible paths: lighttpd refuses a Destination as long as the last two. */
const keys = {
  // Its time grows with the square of the depth, and it does not limit the length of a path.
  apache: ['d/'.repeat(200)],
  lighttpd: ['d/'.repeat(511), '/'.repeat(1024), '\0'.repeat(1024)],
  // For each look-up, rclone looks up every folder above: 511 folders take minutes.
  'rclone serve': ['d/'.repeat(100)],
  nextcloud: ['d/'.repeat(511)],
}

describe('a key in hundreds of folders', () => {
  const drives = [
    ['apache', makeDriveOn(startApache), absenceOfApache()],
    ['lighttpd', makeDriveOn(startLighttpd), absenceOfLighttpd()],
    ['rclone serve', makeDriveOn(startRcloneServe), absenceOfRclone()],
    ['nextcloud', makeNextcloudDrive, false],
  ] as const
  for (const [name, make, skip] of shareOf(drives, 2)) {
    it(`is written, read, listed and removed with its folders on ${name}`, {
      skip,
      timeout,
    }, async (t) => {
      const { drive, byHand } = await make(t, {})
      for (const key of keys[name]) {
        await put(drive, key, 'deep')
        await put(drive, key, 'deeper')
        assert.equal(await getText(drive, key), 'deeper')
        assert.deepEqual(await listKeys(drive), [key])
        assert.equal((await drive.remove(bucket, key)) !== undefined, true)
        assert.deepEqual(await byHand?.list(), [])
      }
    })
  }
})

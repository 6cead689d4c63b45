import fs from 'node:fs'

const sharedMemory = '/dev/shm'
const neededBytes = 4 * 1024 ** 3

/**
 * A new folder in memory, removed when this process ends; undefined if there is no memory file system,
 * or one too small (a container's, often). Thousands of short tests wait for a disk to sync
 * otherwise, which proves nothing: those that are about disks take diskFolder.
 */
export function makeMemoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync(sharedMemory)
    if (bavail * bsize < neededBytes) return undefined
    const folder = fs.mkdtempSync(`${sharedMemory}/bucketry-test-`)
    // Like /tmp: some tests start servers and processes of other users.
    fs.chmodSync(folder, 0o1777)
    process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
    return folder
  } catch {
    return undefined
  }
}

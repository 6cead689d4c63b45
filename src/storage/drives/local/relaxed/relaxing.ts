import type { Log } from '../../../../platform/process/log.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type RelaxedDrive, type RelaxedWrite, RelaxedWrites } from './relaxed-writes.ts'
import { doesSyncReport, syncFileSystem } from './sync-file-system.ts'

/**
 * The same drive with relaxed writes, if they are safe on its file system: a power failure must not keep the new name of a
 * file and lose the link to the one that it replaced.
 */
export async function relaxing(drive: OpenDrive, log: Pick<Log, 'warn'>): Promise<OpenDrive> {
  const { root } = drive
  if (root.isInMemory) return { ...drive, relaxed: writesInMemory(drive) }
  const reason = await whyNot(drive)
  if (reason !== undefined) {
    const folder = root.path || '/'
    log.warn({ folder, reason }, 'DURABILITY=relaxed has no effect: writes are synced')
    return drive
  }
  return { ...drive, relaxed: new RelaxedWrites({ ...drive, log }) }
}

const unreported =
  'the program sync, such as that of BusyBox, does not report that the disk failed: install GNU coreutils'

async function whyNot({ root }: OpenDrive): Promise<string | undefined> {
  if (root.descriptors === undefined) return 'the system is not Linux'
  if (root.files.mayHang || !root.ordersNames)
    return 'the file system is not ext4, XFS, ZFS or tmpfs'
  try {
    await syncFileSystem(root.path || '/')
    return (await doesSyncReport()) ? undefined : unreported
  } catch (error) {
    return `the program sync failed: ${(error as Error).message}`
  }
}

/**
 * DURABILITY=relaxed on a file system in memory. A power failure leaves no file there, so nothing is synced, and nothing
 * is restored. The database may be on a disk. Its records are also relaxed, since they are useless without the files.
 */
function writesInMemory({
  attributeCache,
  versioningOf,
}: Pick<OpenDrive, 'attributeCache' | 'versioningOf'>): RelaxedDrive {
  const write: RelaxedWrite = {
    linkOf: () => undefined,
    linkFolder: () => undefined,
    keep: () => Promise.resolve(),
    forget: (identity) => attributeCache.forget(identity),
  }
  return {
    accepts: (bucket) => versioningOf(bucket) === undefined,
    run: (_, work) => work(write),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

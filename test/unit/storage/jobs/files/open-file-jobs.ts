import assert from 'node:assert/strict'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { FileJobs } from '../../../../../src/storage/jobs/files/file-jobs.ts'
import type { FileOrder } from '../../../../../src/storage/jobs/files/file-order.ts'
import type { FileWorld } from '../../../../../src/storage/jobs/files/file-work.ts'
import type { Transfer } from '../../../../../src/storage/jobs/files/transfer-object.ts'
import { DeletionTable } from '../../../../../src/storage/jobs/trash/deletion-table.ts'
import {
  type Ending,
  openTestDatabase,
  until,
} from '../../../dashboard/management/management-fixture.ts'
import { openJobs } from '../jobs-fixture.ts'

export const bucket = 'files'

type Options = NonNullable<Parameters<typeof openMemoryDrive>[0]> & {
  readonly keepsRemoved?: () => boolean
  readonly hasTrash?: () => boolean
  readonly newLock?: FileWorld['newLock']
}

/** Jobs on a memory drive, as two processes have them. */
export async function open(
  t: Ending,
  changes: Partial<Drive> = {},
  {
    keepsRemoved = () => false,
    hasTrash = () => true,
    newLock = async () => ({}),
    ...options
  }: Options = {},
) {
  const clock = { now: 1_000_000 }
  // Whatever is copied keeps its time, as on a drive whose times are coarse.
  const drive = openMemoryDrive({ now: () => 1_000_000, ...options })
  await drive.prepare([bucket, 'other'])
  const database = await openTestDatabase(t)
  const { process, table, ...world } = openJobs(t, database, clock)
  const room = { bytes: 0 }
  const openWith = (runner: ReturnType<typeof process>) => {
    const opened = new FileJobs({
      ...{ drive: { ...drive, ...changes }, table, jobs: runner, now: () => clock.now },
      ...{
        keepsRemoved,
        hasTrash,
        newLock,
        deletions: new DeletionTable(database),
        onMoved: async () => undefined,
      },
      lockRules: async () => ({ nowMs: clock.now }),
      withinRoom(_, bytes, work: Transfer) {
        room.bytes += bytes
        return work()
      },
    })
    const start = async (order: FileOrder) =>
      (await opened.start(order)) ?? assert.fail('not started')
    return {
      start,
      startIfMay: (order: FileOrder) => opened.start(order),
      resume: () => opened.resume(),
      find: (id: string) => opened.find(id),
      list: (limit: number) => opened.list(limit),
      stop: (id: string) => opened.stop(id),
      follow: (id: string, how: 'again' | 'undo') => opened.follow(id, how),
    }
  }
  const [runner, otherRunner] = [process(), process()]
  const jobs = openWith(runner)
  const ended = async (id: string) => {
    await until(async () => (await jobs.find(id))?.state !== 'running')
    return (await jobs.find(id)) ?? assert.fail('no such job')
  }
  const run = async (order: FileOrder) => ended((await jobs.start(order)).id)
  return {
    ...world,
    table,
    drive,
    clock,
    room,
    runner,
    jobs,
    others: openWith(otherRunner),
    ended,
    run,
  }
}

/**
 * A process that is suspended immediately before it changes the file of the key `k`, and continues when it gets
 * input.
 *
 *     node stalling-process.ts FOLDER put|replace|remove ETAG
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { openLocalDrive } from '../../../../src/drives/local/local-drive.ts'
import { thisProcess } from '../../../../src/process/identity.ts'
import { openDatabase } from '../../../../src/state/open-database.ts'
import { DatabaseFileRecords } from '../../../../src/state/stores/file-records.ts'
import { bucket, log, put } from './open-drive.ts'

const [folder = '', task = '', etag = ''] = process.argv.slice(2)
const database = await openDatabase(
  { kind: 'sqlite', path: join(folder, 'records.db') },
  { migrate: false },
)
const records = new DatabaseFileRecords(database)
const drive = await openLocalDrive({ root: join(folder, 'drive'), records, log })
const ifMatch = [etag]

const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  put: () => put(drive, 'k', 'late'),
  replace: () => put(drive, 'k', 'late', { ifMatch }),
  remove: () => drive.remove(bucket, 'k', { ifMatch }),
}

/** Stops the whole process, like SIGSTOP, before a call that changes the name `k`. */
function stallBefore(object: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) {
    const call = object[name] as (...given: unknown[]) => unknown
    object[name] = (...given: unknown[]) => {
      if (given.some((path) => typeof path === 'string' && path.endsWith('/k'))) {
        fs.writeSync(1, `${thisProcess}\n`)
        fs.readSync(0, Buffer.alloc(1))
      }
      return call(...given)
    }
  }
}

stallBefore(fs as never, ['renameSync', 'unlinkSync'])
stallBefore(fs.promises as never, ['rename', 'unlink'])
try {
  await tasks[task]?.()
  fs.writeSync(1, 'done\n')
} catch (error) {
  fs.writeSync(1, `${(error as { kind?: string }).kind}\n`)
}
process.exit()

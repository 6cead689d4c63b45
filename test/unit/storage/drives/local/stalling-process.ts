/**
 * A process that is suspended, as by SIGSTOP, before or after a file system call, and resumes when it gets input. It
 * prints its name when it is suspended, and later the result of its task.
 *
 *     node stalling-process.ts FOLDER TASK KEY ETAG CALL PATTERN VERSIONING
 *
 * CALL is a function of node:fs, such as `rename`, or `after:rename`. PATTERN is a regular expression for one of its
 * paths. Only the first matching call suspends the process. VERSIONING is JSON, or empty.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { thisProcess } from '../../../../../src/platform/process/identity.ts'
import { openDatabase } from '../../../../../src/platform/state/open-database.ts'
import type { WriteConditions } from '../../../../../src/storage/drives/drive.ts'
import { openLocalDrive } from '../../../../../src/storage/drives/local/local-drive.ts'
import { DatabaseFileRecords } from '../../../../../src/storage/drives/local/objects/file-record-table.ts'
import { attributesOf, bucket, log, put } from './open-drive.ts'

const [folder = '', task = '', key = '', etag = '', call = '', pattern = '', versioning = ''] =
  process.argv.slice(2)
const database = await openDatabase(
  { kind: 'sqlite', path: join(folder, 'records.db') },
  { migrate: false },
)
const records = new DatabaseFileRecords(database)
let onRead: (() => Promise<unknown>) | undefined
const find = records.find.bind(records)
records.find = async (identity) => {
  const found = await find(identity)
  const meanwhile = onRead
  onRead = undefined
  if (meanwhile !== undefined) suspend()
  await meanwhile?.()
  return found
}
const drive = await openLocalDrive({
  ...{ root: join(folder, 'drive'), records, log },
  versioningOf: () => (versioning === '' ? undefined : JSON.parse(versioning)),
})
const conditions = { ifMatch: [etag] }
let isArmed = true

const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  put: () => put(drive, key, 'late'),
  replace: () => put(drive, key, 'late', conditions),
  remove: () => drive.remove(bucket, key),
  removeIfMatch: () => drive.remove(bucket, key, conditions),
  /** Another request of the process runs while this one waits for the database. */
  async removeAfterPut() {
    onRead = () => put(drive, 'other', 'x')
    await drive.remove(bucket, key, conditions)
  },
  /** Without a CALL, it is suspended while its condition is checked. */
  completeIfMatch: () => complete(conditions),
  complete: () => complete(undefined),
  /** The second request follows at once, even if the first one fails. */
  async replaceTwice() {
    await put(drive, key, 'late').catch(() => undefined)
    isArmed = true
    await put(drive, key, 'late again', conditions)
  },
}

async function complete(conditions: WriteConditions | undefined) {
  const target = { bucket, key }
  const part = await drive.uploads.append(await drive.uploads.begin('u', target), { offset: 0 })
  await part.write(Buffer.from('completed'))
  const state = await part.commit()
  if (call === '') onRead = async () => undefined
  const attributes = attributesOf('completed')
  await drive.uploads.complete(state, {
    target,
    size: 9,
    attributes,
    ...(conditions && { conditions }),
  })
}

function suspend(): void {
  isArmed = false
  fs.writeSync(1, `${thisProcess}\n`)
  fs.readSync(0, Buffer.alloc(1))
}

function stall(object: Record<string, unknown>, name: string, isAfter: boolean): void {
  const original = object[name] as (...given: unknown[]) => unknown
  const paths = new RegExp(pattern)
  object[name] = (...given: unknown[]) => {
    const isMet = isArmed && given.some((path) => typeof path === 'string' && paths.test(path))
    if (isMet && !isAfter) suspend()
    const result = original(...given)
    if (!isMet || !isAfter) return result
    if (!(result instanceof Promise)) {
      suspend()
      return result
    }
    return result.finally(suspend)
  }
}

const [, after, name = ''] = /^(after:)?(.*)$/.exec(call) ?? []
if (name !== '') {
  stall(fs as never, `${name}Sync`, after !== undefined)
  stall(fs.promises as never, name, after !== undefined)
}
try {
  await tasks[task]?.()
  fs.writeSync(1, 'done\n')
} catch (error) {
  fs.writeSync(1, `${(error as { kind?: string }).kind}\n`)
}
process.exit()

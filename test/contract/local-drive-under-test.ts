import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { thisProcess } from '../../src/platform/process/identity.ts'
import { openLocalDrive } from '../../src/storage/drives/local/local-drive.ts'
import { diskFolder } from '../support/disk-folder.ts'
import { MemoryRecords } from '../unit/storage/drives/local/memory-records.ts'
import {
  type ByHand,
  buckets,
  type DriveUnderTest,
  type MakeDrive,
  type MakeOptions,
} from './drive/drive-suite.ts'

const log = { warn: (fields: object, message: string) => console.error(message, fields) }
const canMount = process.platform === 'linux' && process.getuid?.() === 0

/** A new folder; with a capacity, a tmpfs of that size. */
export function makeRoot(t: TestContext, { capacityBytes }: MakeOptions): string {
  const root = fs.mkdtempSync(join(diskFolder, 'bucketry-drive-'))
  if (capacityBytes !== undefined) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${capacityBytes}`, 'tmpfs', root])
  }
  t.after(() => {
    if (capacityBytes !== undefined) execFileSync('umount', ['--lazy', root])
    fs.rmSync(root, { recursive: true, force: true })
  })
  return root
}

function byHandIn(root: string, name: string): ByHand {
  const folder = join(root, name)
  return {
    async put(path, bytes) {
      fs.mkdirSync(dirname(join(folder, path)), { recursive: true })
      fs.writeFileSync(join(folder, path), bytes)
    },
    async remove(path) {
      fs.unlinkSync(join(folder, path))
    },
    async makeFolder(path) {
      fs.mkdirSync(join(folder, path), { recursive: true })
    },
    async setTime(path, timeMs) {
      fs.utimesSync(join(folder, path), timeMs / 1000, timeMs / 1000)
    },
    async copyVersion({ text, versionId }, path) {
      const store = join(root, '.bucketry', 'versions', name)
      const files = fs.readdirSync(store, { recursive: true, withFileTypes: true })
      const version = files
        .filter((file) => file.isFile() && file.name.endsWith(versionId))
        .map((file) => join(file.parentPath, file.name))
        .find((file) => fs.readFileSync(file, 'utf8') === text)
      if (version === undefined) throw new Error(`no version ${versionId} is ${text}`)
      fs.mkdirSync(dirname(join(folder, path)), { recursive: true })
      execFileSync('cp', ['-p', '--', version, join(folder, path)])
    },
    async list() {
      const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
      return entries
        .map((entry) => {
          const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
          return entry.isDirectory() ? `${path}/` : path
        })
        .sort()
    },
  }
}

/** Marks of completed uploads stay until they are swept: they are small and not uploads. */
function leftoversIn(root: string): string[] {
  const own = join(root, '.bucketry')
  const temporary = fs
    .readdirSync(join(own, 'tmp', encodeURIComponent(thisProcess)), { recursive: true })
    .map(String)
  return [
    ...temporary.filter((name) => !/^holder$|\.folders$|^fence-[\w-]+$/.test(name)),
    ...fs
      .readdirSync(join(own, 'uploads'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^(done|made)-/.test(entry.name))
      .map((entry) => entry.name),
    ...fs.readdirSync(join(own, 'locks')),
  ]
}

/** The local drive over a new folder, for the contract. */
export const makeLocalDrive: MakeDrive = (t, options) => localDriveWith(t, options, buckets)

/** The same, with buckets of these names. */
export async function localDriveWith(
  t: TestContext,
  options: MakeOptions,
  names: readonly [first: string, ...string[]],
): Promise<DriveUnderTest & Required<Pick<DriveUnderTest, 'reopen'>>> {
  const root = makeRoot(t, options)
  const records = new MemoryRecords()
  const open = async () => {
    const { versioningOf } = options
    const drive = await openLocalDrive({ root, records, log, versioningOf })
    await drive.prepare(names)
    t.after(() => drive.close())
    return drive
  }
  return {
    drive: await open(),
    reopen: open,
    byHand: byHandIn(fs.realpathSync(root), names[0]),
    leftovers: async () => leftoversIn(root),
  }
}

export const localDriveLacks = canMount
  ? {}
  : { capacity: 'only root may mount a small file system for it' }

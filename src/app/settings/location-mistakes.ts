import fs from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { withinTime } from '../../platform/process/time-limit.ts'
import { realPathOf } from '../../storage/drives/local/file-kind.ts'
import { kindOf } from './drive-kinds.ts'
import type { BucketPlaceSetting } from './parse-names.ts'
import { shown } from './setting.ts'
import type { SettingValues } from './tables/settings-table.ts'

type Locations = Pick<SettingValues, 'database' | 'driveSpool' | 'accessLogFile' | 'allowedBuckets'>
type DrivePlace = Pick<SettingValues, 'drive'> & { readonly name: string }

/** A file or folder named by a setting, which clients must not be able to read. */
export interface PrivatePath {
  /** `DATABASE_URL`, `DRIVE_SPOOL`, `SECRET_KEY_FILE` … */
  readonly name: string
  readonly path: string
}

/**
 * Pseudo file systems, by their numbers in statfs(2), from linux/magic.h. They must not be listed for
 * keys: reading some of their files blocks forever.
 */
const pseudoFileSystems: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
  [0x0027e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x1cd1, 'devpts'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x73636673, 'securityfs'],
  [0x62656570, 'configfs'],
  [0xcafe4a11, 'bpf'],
  [0xde5e81e4, 'efivarfs'],
  [0x6165676c, 'pstore'],
  [0x42494e4d, 'binfmt_misc'],
  [0x19800202, 'mqueue'],
  [0x67596969, 'rpc_pipefs'],
  [0x65735543, 'fusectl'],
  [0xf97cff8c, 'selinuxfs'],
])

/** How long a start waits for the file system of a drive before it leaves it for later. */
const answerMs = 2_000

/**
 * The drives without those whose file system does not answer, as that of a dead NFS server: another look at their folders
 * would stop this process. They are opened when they answer.
 */
export async function drivesThatAnswer<Own extends DrivePlace>(
  drives: readonly Own[],
): Promise<Own[]> {
  const answers = await Promise.all(
    drives.map(async ({ drive }) => {
      const folder = drive && kindOf(drive).folder?.(drive)
      if (folder === undefined) return true
      const asked = fs.promises.statfs(folder).catch(() => undefined)
      return await withinTime(asked, answerMs).then(
        () => true,
        () => false,
      )
    }),
  )
  return drives.filter((_, index) => answers[index])
}

/** Mistakes in the locations of a drive and of private files on this machine. */
export function locationMistakes(
  { drive, name }: DrivePlace,
  values: Locations,
  files: readonly PrivatePath[],
): string[] {
  const { database, driveSpool, accessLogFile, allowedBuckets = [] } = values
  const root = drive && kindOf(drive).folder?.(drive)
  if (root === undefined) return []
  const mistake = rootMistake(root)
  if (mistake !== undefined) {
    return [`DRIVE${name === '' ? '' : `_${name}`} is ${shown(`file:${root}`)}: ${mistake}`]
  }
  const buckets = allowedBuckets.filter((place) => place.drive === name)
  const paths = [
    ...(database?.kind === 'sqlite' ? [{ name: 'DATABASE_URL', path: database.path }] : []),
    ...(driveSpool === undefined ? [] : [{ name: 'DRIVE_SPOOL', path: driveSpool }]),
    ...(accessLogFile === undefined ? [] : [{ name: 'ACCESS_LOG_FILE', path: accessLogFile }]),
    ...files,
  ]
  return [...pseudoBuckets(root, buckets), ...privatePaths(paths, root, buckets)]
}

/** Folders such as /proc, if the root of the system is served. */
function pseudoBuckets(root: string, buckets: readonly BucketPlaceSetting[]): string[] {
  return buckets.flatMap(({ bucket, folder }) => {
    const path = join(root, folder)
    const kind = fs.existsSync(path) ? pseudoFileSystemOf(path) : undefined
    return kind === undefined
      ? []
      : [`ALLOWED_BUCKETS has ${shown(bucket)}: expected a folder on a disk, but this is ${kind}`]
  })
}

function privatePaths(
  paths: readonly PrivatePath[],
  root: string,
  buckets: readonly BucketPlaceSetting[],
): string[] {
  return paths.flatMap(({ name, path }) => {
    const bucket = bucketAround(path, root, buckets)
    if (bucket === undefined) return []
    const reason = `clients can read it in the bucket ${bucket}`
    return [`${name} is ${shown(path)}: expected a path outside the buckets; ${reason}`]
  })
}

/** The bucket, of those in a folder of this machine, in which clients can read a file. */
export function bucketAround(
  path: string,
  root: string,
  buckets: readonly BucketPlaceSetting[],
): string | undefined {
  const real = realPathOf(path)
  return buckets.find(({ folder }) => isWithin(real, realPathOf(join(root, folder))))?.bucket
}

function rootMistake(root: string): string | undefined {
  const existing = existingPartOf(root)
  if (!fs.statSync(existing).isDirectory()) {
    const what = existing === root ? 'it is a file' : `${existing} is a file`
    return `expected a folder, but ${what}`
  }
  const kind = pseudoFileSystemOf(existing)
  return kind && `expected a folder on a disk, but this is ${kind}`
}

function pseudoFileSystemOf(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  // devtmpfs has the same number as tmpfs, which is allowed.
  const real = fs.realpathSync(path)
  if (isWithin(real, '/dev') && !isWithin(real, '/dev/shm')) return 'a folder of devices (/dev)'
  const kind = pseudoFileSystems.get(fs.statfsSync(path).type)
  return kind && `a pseudo file system (${kind})`
}

/** The path itself, or its nearest parent that exists. */
export function existingPartOf(path: string): string {
  try {
    fs.statSync(path)
    return path
  } catch {
    const parent = dirname(path)
    return parent === path ? path : existingPartOf(parent)
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

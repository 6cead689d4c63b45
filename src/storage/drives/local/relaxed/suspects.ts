import type { Stats } from 'node:fs'
import type { ObjectName } from '../../drive.ts'
import { decodeName } from '../../kit/names/key-path.ts'
import { trashBucketOf } from '../../trash-bucket.ts'
import { fs } from '../file-calls.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { ownFolderName } from '../folders/own-folders.ts'
import { unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import type { FilePath } from '../object-path.ts'

/** A file of an object that was written after a time. */
export interface Suspect extends ObjectName {
  readonly filePath: FilePath
}

interface Place {
  readonly bucket: string
  /** Below the root. */
  readonly folder: string
  /** How the keys in the folder begin. */
  readonly prefix: string
  /** See `NameContext`. */
  readonly continued?: string
}

interface Since {
  readonly fileMs: number
  /** By the kernel's clock: a folder that has not changed since then has no such file. */
  readonly folderMs: number
}

/** The files of objects in all buckets, also in the trash, with this modification time or a later one. */
export async function* suspectsSince(root: LocalRoot, since: Since): AsyncGenerator<Suspect> {
  for (const bucket of await bucketsOn(root)) {
    yield* suspectsBelow(root, { bucket, folder: bucket, prefix: '' }, since)
  }
}

async function bucketsOn(root: LocalRoot): Promise<string[]> {
  const folders = async (path: string) =>
    ((await unlessAbsent(() => fs.promises.readdir(path, { withFileTypes: true }))) ?? [])
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  const trashes = await folders(`${root.path}/${trashBucketOf('')}`)
  const buckets = (await folders(root.path || '/')).filter((name) => name !== ownFolderName)
  return [...buckets, ...trashes.map(trashBucketOf)]
}

async function* suspectsBelow(
  root: LocalRoot,
  place: Place,
  since: Since,
): AsyncGenerator<Suspect> {
  const folder = await OpenFolder.open(root, place.folder)
  if (folder === undefined) return
  try {
    const hasChanged = (await folder.stats()).mtimeMs >= since.folderMs
    const entries = await fs.promises.readdir(folder.ownPath, { withFileTypes: true })
    for (const entry of entries) {
      const { name } = entry
      const inner = entry.isDirectory() ? placeIn(place, name) : undefined
      if (inner !== undefined) yield* suspectsBelow(root, inner, since)
      if (!hasChanged || !entry.isFile()) continue
      if (!isSince(await root.files.lstat(folder.at(name)), since.fileMs)) continue
      const key = keyIn(place, name)
      const filePath = { folder: place.folder, name }
      if (key !== undefined) yield { bucket: place.bucket, key, filePath }
    }
  } finally {
    await folder.close()
  }
}

export function isSince(stats: Stats | undefined, sinceMs: number): boolean {
  return stats?.isFile() === true && stats.mtimeMs >= sinceMs
}

function placeIn(place: Place, name: string): Place | undefined {
  const { bucket, prefix, continued } = place
  const folder = `${place.folder}/${name}`
  const decoded = decodeName(name, { isFile: false, ...(continued !== undefined && { continued }) })
  if (decoded === undefined) return undefined
  return decoded.kind === 'continuation'
    ? { bucket, folder, prefix, continued: decoded.continued }
    : { bucket, folder, prefix: `${prefix}${decoded.segment}/` }
}

function keyIn({ prefix, continued }: Place, name: string): string | undefined {
  const decoded = decodeName(name, { isFile: true, ...(continued !== undefined && { continued }) })
  return decoded?.kind === 'segment' ? prefix + decoded.segment : undefined
}

import type { DriveNotes } from '../drives/drive-notes.ts'
import type { Versioning } from '../drives/versions.ts'
import type { MadeBucketTable } from './made-bucket-table.ts'

/** The text of the note `buckets`: the names of made buckets. */
export function bucketNote(names: readonly string[]): string {
  return JSON.stringify({ buckets: [...new Set(names)].sort() })
}

/** The names in a note; none if it is damaged. */
export function namesInNote(
  text: string | undefined,
  isBucketName: (name: string) => boolean,
): string[] {
  try {
    const { buckets } = JSON.parse(text ?? '{}') as { buckets?: unknown }
    if (!Array.isArray(buckets)) return []
    return buckets.filter((name): name is string => typeof name === 'string' && isBucketName(name))
  } catch {
    return []
  }
}

/** The text of the note `versioning`: the versioning of buckets by their names on the drive. */
export function versioningNote(noted: ReadonlyMap<string, Versioning>): string {
  return JSON.stringify({ versioning: Object.fromEntries([...noted].sort()) })
}

/** The versioning in a note, without what is damaged. */
export function versioningInNote(text: string | undefined): Map<string, Versioning> {
  try {
    const { versioning } = JSON.parse(text ?? '{}') as { versioning?: unknown }
    const entries = Object.entries((versioning ?? {}) as Record<string, unknown>)
    return new Map(entries.filter((entry): entry is [string, Versioning] => isVersioning(entry[1])))
  } catch {
    return new Map()
  }
}

function isVersioning(value: unknown): value is Versioning {
  const { changes } = (value ?? {}) as { changes?: unknown }
  if (!Array.isArray(changes) || changes.length === 0) return false
  return changes.every((at, index) => Number.isSafeInteger(at) && at > (changes[index - 1] ?? 0))
}

interface FindingParts {
  readonly notes: DriveNotes
  readonly table: Pick<MadeBucketTable, 'all' | 'addFound'>
  readonly isBucketName: (name: string) => boolean
  readonly nowMs: number
}

/**
 * Adds buckets that only the drive knows, because the database was lost or a process was killed before the last step
 * of creating them. Called at the start, before the drive is prepared.
 *
 * @returns their names
 */
export async function findMadeBuckets({
  notes,
  table,
  isBucketName,
  nowMs,
}: FindingParts): Promise<string[]> {
  const noted = namesInNote(await notes.read('buckets'), isBucketName)
  if (noted.length === 0) return []
  const known = new Set((await table.all()).map(({ bucket }) => bucket))
  const found = noted.filter((name) => !known.has(name))
  if (found.length > 0) await table.addFound(found, nowMs)
  return found
}

import type { DriveNotes } from '../drives/drive-notes.ts'
import type { MadeBucketTable } from './made-bucket-table.ts'

/** The note `buckets`: the names of the buckets made at run time. */
export function bucketNote(names: readonly string[]): string {
  return JSON.stringify({ buckets: [...new Set(names)].sort() })
}

/** The names in a note. A damaged note has none. */
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

interface FindingParts {
  readonly notes: DriveNotes
  readonly table: Pick<MadeBucketTable, 'all' | 'addFound'>
  readonly isBucketName: (name: string) => boolean
  readonly nowMs: number
}

/**
 * Adds the buckets that the drive knows and the database does not: it was lost, or the process that made one
 * died before the last step. Called at the start, before the drive is prepared.
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

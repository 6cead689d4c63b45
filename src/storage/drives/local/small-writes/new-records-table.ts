import {
  commitTogether,
  openWriter,
  type WriterConnection,
} from '../../../../platform/state/sqlite/group-commit.ts'
import { isBusy } from '../../../../platform/state/sqlite/sqlite-errors.ts'
import { type FileRecord, type RecordPlace, saveStatement } from '../objects/file-record-table.ts'

/**
 * How long to wait while another connection writes. All small writes wait meanwhile. The thread of SQLite, to which the main
 * thread leaves the records then, waits longer, and delays nothing else.
 */
const waitMs = 100
/** Of this thread, by file. */
const writers = new Map<string, WriterConnection>()

export interface NewRecord {
  readonly record: FileRecord
  /** See CallOptions. */
  readonly isRelaxed: boolean
}

/**
 * Saves records in one transaction of this thread's own connection.
 *
 * @returns for each record, how long the commit took; undefined if the record is not saved
 */
export function saveRecords(
  place: RecordPlace | undefined,
  records: readonly (NewRecord | undefined)[],
): readonly (number | undefined)[] {
  const saved: (number | undefined)[] = records.map(() => undefined)
  const wanted = [...records.entries()].flatMap(([index, one]) => (one ? [{ index, ...one }] : []))
  if (place === undefined || wanted.length === 0) return saved
  const nowMs = Date.now()
  const startedAt = performance.now()
  try {
    const outcomes = commitTogether(
      writerOf(place.file),
      wanted.map(({ record }) => [saveStatement(place.drive, record, nowMs)]),
      wanted.every(({ isRelaxed }) => isRelaxed),
    )
    const durationMs = performance.now() - startedAt
    for (const [at, { index }] of wanted.entries()) {
      if (outcomes[at]?.kind === 'done') saved[index] = durationMs
    }
  } catch (error) {
    // The main thread saves them again, and reports the error.
    if (!isBusy(error)) close(place.file)
  }
  return saved
}

/** If its transaction could not be ended, it would keep all others from writing. */
function close(file: string): void {
  const writer = writers.get(file)
  writers.delete(file)
  writer?.connection.close()
}

function writerOf(file: string): WriterConnection {
  const writer = writers.get(file) ?? openWriter(file, waitMs)
  writers.set(file, writer)
  return writer
}

import { DatabaseError } from '../database.ts'

/** Primary result codes (https://sqlite.org/rescode.html); extended codes keep them in the low byte. */
const busyCodes = new Set([5, 6])

/** Result codes after which the current transaction is lost. */
const fatalCodes = new Set([7, 8, 10, 11, 13, 14, 26])

const sentences: Readonly<Record<number, string>> = {
  5: 'was locked by another process for too long',
  6: 'was locked by another connection for too long',
  7: 'ran out of memory',
  8: 'is read-only; give this process write permission on the file and its folder',
  10: 'failed to read or write; check the disk and the system log',
  11: 'is damaged; restore it from a backup or move it away',
  13: 'has no disk space left; free some',
  14: "can't be opened; its folder must exist and be writable",
  26: 'is not an SQLite database; move it away or name another file',
}

/** Whether the statement may succeed when it is retried shortly after. */
export function isBusy(error: unknown): boolean {
  return busyCodes.has(primaryCode(error))
}

/** Whether the whole transaction is lost, not only the failed statement. */
export function isFatal(error: unknown): boolean {
  return fatalCodes.has(primaryCode(error))
}

/** Any error of node:sqlite → DatabaseError with a user-facing message. Returns our own errors unchanged. */
export function toDatabaseError(error: unknown, path: string): DatabaseError {
  if (error instanceof DatabaseError) return error
  const sentence = sentences[primaryCode(error)] ?? 'rejects the statement'
  const detail = error instanceof Error ? error.message : String(error)
  return new DatabaseError(`the database ${path} ${sentence} (${detail})`, { cause: error })
}

/** 0 if the error is neither from SQLite nor one of ours that it has caused. */
function primaryCode(error: unknown): number {
  const cause = error instanceof DatabaseError ? error.cause : error
  const code = (cause as { errcode?: unknown } | null | undefined)?.errcode
  return typeof code === 'number' ? code & 0xff : 0
}

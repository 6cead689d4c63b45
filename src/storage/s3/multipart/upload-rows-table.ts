const rowColumns = `id, target, details, phase, drive_state AS "driveState",
  part_count AS "partCount", size, completion, created_at_ms AS "createdAtMs",
  touched_at_ms AS "touchedAtMs", lease_owner AS "leaseOwner", lease_until_ms AS "leaseUntilMs",
  slot_size AS "slotSize"`

export const selectUpload = `SELECT ${rowColumns} FROM uploads WHERE id = ?`

export const selectIdle = `SELECT ${rowColumns} FROM uploads WHERE phase = ? AND touched_at_ms <= ?
  AND (touched_at_ms, id) > (?, ?)
  ORDER BY touched_at_ms, id LIMIT ?`

/**
 * The first parameter is the beginning of a target's JSON, with the bucket. PostgreSQL expects a bare
 * equality to match few rows, and would sort them instead of using the index.
 */
export const selectOpen = `SELECT ${rowColumns} FROM uploads WHERE phase = 'open'
  AND COALESCE(substr(target, 1, length(?)) = ?, FALSE)
  AND (created_at_ms, id) < (?, ?)
  ORDER BY created_at_ms DESC, id DESC LIMIT ?`

export const selectByKey = `SELECT ${rowColumns} FROM uploads WHERE phase = 'open'
  AND (sort_key, id) > (?, ?) AND sort_key < ?
  ORDER BY sort_key, id LIMIT ?`

export const selectByState = 'SELECT id FROM uploads WHERE drive_state LIKE ? LIMIT 1'

export const countOpen = `SELECT count(*) AS uploads FROM uploads WHERE phase = 'open'`

/** The characters of bucket names, including those that only the first version of S3 allowed. */
const bucketCharacters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._'

/** A target is JSON, `["bucket","key"]`, and this is its bucket, in the SQL of both databases. */
const bucketOfTarget = `substr(target, 3,
  length(target) - 2 - length(ltrim(substr(target, 3), '${bucketCharacters}')))`

/**
 * Bytes in slots that belong to no part, because it failed or was replaced by a separate file. They stay until the
 * upload ends.
 */
const lostBytes = `SELECT COALESCE(sum(s.bytes), 0) FROM upload_slots s
  WHERE s.upload_id = uploads.id AND NOT EXISTS (SELECT 1 FROM upload_parts p
    WHERE p.upload_id = s.upload_id AND p.number = s.number AND p.place LIKE '@%')`

/** While a Complete is in progress, its parts are not yet an object. */
export const sumOpen = `SELECT ${bucketOfTarget} AS bucket,
  sum(size + CASE WHEN slot_size = 0 THEN 0 ELSE (${lostBytes}) END) AS bytes FROM uploads
  WHERE phase IN ('open', 'completing') AND (size > 0 OR slot_size > 0) GROUP BY ${bucketOfTarget}`

export const selectParts = `SELECT number, etag, size, modified_at_ms AS "modifiedAtMs", checksum
  FROM upload_parts WHERE upload_id = ? AND number > ? ORDER BY number LIMIT ?`

/** What the commit of parts changes in the row of an upload. */
export interface CommittedParts {
  readonly driveState: string
  readonly partCount: number
  readonly size: number
  readonly touchedAtMs: number
}

/** Maximum length of a signal (database.ts). */
const maxSignalLength = 1_000

/**
 * Returns the signal of a commit. It contains the change if that fits, so that other processes need not read the row.
 */
export function signalOf(id: string, committed: CommittedParts): string {
  const signal = `${id} ${Buffer.from(JSON.stringify(committed)).toString('base64url')}`
  return signal.length > maxSignalLength ? id : signal
}

/** Parses a signal: the upload that it names (undefined: any upload may have changed), and the change if it is included. */
export function changeOf(
  signal: string | undefined,
): [id: string | undefined, committed?: CommittedParts] {
  const [id, change] = signal?.split(' ', 2) ?? []
  const committed = change === undefined ? undefined : decodeChange(change)
  return committed === undefined ? [id] : [id, committed]
}

/** Undefined for the format of another version. */
function decodeChange(text: string): CommittedParts | undefined {
  try {
    const change: CommittedParts | null = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof change?.partCount === 'number' ? change : undefined
  } catch {
    return undefined
  }
}

/** The SQL of what UploadTable reads. */

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

/** The characters of a bucket's name, and those that the first version of S3 allowed. */
const bucketCharacters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._'

/** A target is JSON, `["bucket","key"]`, and this is its bucket, in the SQL of both databases. */
const bucketOfTarget = `substr(target, 3,
  length(target) - 2 - length(ltrim(substr(target, 3), '${bucketCharacters}')))`

/** Bytes in slots that are no part's: their part failed, or a file of its own replaced it. They stay until the end. */
const lostBytes = `SELECT COALESCE(sum(s.bytes), 0) FROM upload_slots s
  WHERE s.upload_id = uploads.id AND NOT EXISTS (SELECT 1 FROM upload_parts p
    WHERE p.upload_id = s.upload_id AND p.number = s.number AND p.place LIKE '@%')`

/** While a Complete is in progress, its parts are not yet an object. */
export const sumOpen = `SELECT ${bucketOfTarget} AS bucket,
  sum(size + CASE WHEN slot_size = 0 THEN 0 ELSE (${lostBytes}) END) AS bytes FROM uploads
  WHERE phase IN ('open', 'completing') AND (size > 0 OR slot_size > 0) GROUP BY ${bucketOfTarget}`

export const selectParts = `SELECT number, etag, size, modified_at_ms AS "modifiedAtMs", checksum
  FROM upload_parts WHERE upload_id = ? AND number > ? ORDER BY number LIMIT ?`

/** What a commit of parts changes in the row of an upload. */
export interface CommittedParts {
  readonly driveState: string
  readonly partCount: number
  readonly size: number
  readonly touchedAtMs: number
}

/** Of a signal (database.ts). */
const longestSignal = 1_000

/** The signal of a commit. Other processes need not read the row, if the change fits. */
export function signalOf(id: string, committed: CommittedParts): string {
  const signal = `${id} ${Buffer.from(JSON.stringify(committed)).toString('base64url')}`
  return signal.length > longestSignal ? id : signal
}

/** The upload of a signal, undefined when any may have changed, and the change if the signal has it. */
export function changeOf(
  signal: string | undefined,
): [id: string | undefined, committed?: CommittedParts] {
  const [id, change] = signal?.split(' ', 2) ?? []
  const committed = change === undefined ? undefined : decodeChange(change)
  return committed === undefined ? [id] : [id, committed]
}

/** Undefined for a text that another version sent in another form. */
function decodeChange(text: string): CommittedParts | undefined {
  try {
    const change: CommittedParts | null = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof change?.partCount === 'number' ? change : undefined
  } catch {
    return undefined
  }
}

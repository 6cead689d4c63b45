import type { Log } from '../../platform/process/log.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'

import type { DriveStatusReply } from './management-schemas.ts'

/** The maximum time to wait for a drive that hangs. */
const defaultWaitMs = 2_000

const roomMaxAgeMs = 10_000
/** The folder of a bucket is created once. */
const creationMaxAgeMs = 10 * 60_000

interface DriveStatusParts {
  readonly drive: Pick<Drive, 'kind' | 'deletes' | 'check' | 'quota' | 'bucketCreatedAtMs'>
  /** Why the drive is not open, for the operator; undefined if it is. */
  readonly problem?: () => string | undefined
  /** Milliseconds. */
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
  readonly waitMs?: number
}

/** Drive information for the dashboard. Reading it never takes long and never fails. */
export function createDriveStatus(parts: DriveStatusParts) {
  const { drive, problem, now, log, waitMs = defaultWaitMs } = parts
  const onError = (error: unknown) => log.warn({ err: error }, 'drive information is not available')
  const common = { waitMs, now, onError }
  const unlimited = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
  const readRoom = cachedAnswer({
    ...common,
    maxAgeMs: roomMaxAgeMs,
    ask: async () => (await drive.quota?.()) ?? unlimited,
  })
  /** Why the drive is not available; null: it is available. */
  const readProblem = cachedAnswer({
    ...common,
    maxAgeMs: roomMaxAgeMs,
    ask: () =>
      drive.check().then(
        () => null,
        (error: unknown) => {
          onError(error)
          return problem?.() ?? (error instanceof DriveError ? error.message : unanswered)
        },
      ),
  })
  const creations = new Map<string, () => Promise<number | undefined>>()
  return {
    async status(): Promise<DriveStatusReply> {
      const [room, why = unanswered] = await Promise.all([readRoom(), readProblem()])
      return {
        kind: drive.kind,
        deletes: drive.deletes,
        problem: why,
        freeBytes: bytesOf(room?.freeBytes),
        totalBytes: bytesOf(room?.totalBytes),
      }
    },

    /** Milliseconds since the epoch. @param bucket a bucket that is served */
    async createdAtMs(bucket: string): Promise<number | undefined> {
      let read = creations.get(bucket)
      if (read === undefined) {
        const ask = () => drive.bucketCreatedAtMs(bucket)
        read = cachedAnswer({ ...common, maxAgeMs: creationMaxAgeMs, ask })
        creations.set(bucket, read)
      }
      return read()
    },
  }
}

const unanswered = 'The drive does not respond. See the service log.'

/** Null: no limit, or an invalid value. */
function bytesOf(bytes: number | undefined): number | null {
  return bytes !== undefined && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
}

interface CachedAnswerOptions<Answer> {
  readonly ask: () => Promise<Answer>
  /** How long a result or a failure is reused. */
  readonly maxAgeMs: number
  /** How long a caller waits for a result. */
  readonly waitMs: number
  /** Milliseconds. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Caches the result of a slow call for all callers. A call that hangs is not repeated until it returns.
 *
 * @returns a function that reads the result; undefined if the call failed or did not return in time. It never
 *   rejects.
 */
function cachedAnswer<Answer>(
  options: CachedAnswerOptions<Answer>,
): () => Promise<Answer | undefined> {
  const { ask, maxAgeMs, waitMs, now, onError } = options
  let kept: { readonly answer: Answer | undefined; readonly atMs: number } | undefined
  let asking: Promise<Answer | undefined> | undefined
  const renew = async () => {
    let answer: Answer | undefined
    try {
      answer = await ask()
    } catch (error) {
      onError(error)
    }
    kept = { answer, atMs: now() }
    return answer
  }
  return async () => {
    if (kept !== undefined && now() - kept.atMs < maxAgeMs) return kept.answer
    asking ??= renew().finally(() => {
      asking = undefined
    })
    // A call that takes longer keeps running.
    return withinTime(asking, waitMs).catch(() => undefined)
  }
}

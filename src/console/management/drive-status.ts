import { type Drive, DriveError } from '../../drives/drive.ts'
import { CachedAnswer } from './cached-answer.ts'
import type { ManagementLog } from './management-log.ts'
import type { DriveStatusReply } from './replies.ts'

/** The maximum wait for a drive that hangs. */
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
  readonly log: ManagementLog
  readonly waitMs?: number
}

/** Drive information for the pages. Reading it never takes long and never fails. */
export class DriveStatus {
  readonly #drive: DriveStatusParts['drive']
  readonly #room: CachedAnswer<{ readonly freeBytes: number; readonly totalBytes: number }>
  /** Why the drive is not available; null: it is available. */
  readonly #problem: CachedAnswer<string | null>
  readonly #common: Pick<DriveStatusParts, 'now'> & {
    readonly waitMs: number
    readonly onError: (error: unknown) => void
  }
  readonly #createdAtMs = new Map<string, CachedAnswer<number>>()

  constructor({ drive, problem, now, log, waitMs = defaultWaitMs }: DriveStatusParts) {
    const onError = (error: unknown) =>
      log.warn({ err: error }, 'drive information is not available')
    const common = { waitMs, now, onError }
    const unlimited = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
    this.#drive = drive
    this.#common = common
    this.#room = new CachedAnswer({
      ...common,
      maxAgeMs: roomMaxAgeMs,
      ask: async () => (await drive.quota?.()) ?? unlimited,
    })
    this.#problem = new CachedAnswer({
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
  }

  async status(): Promise<DriveStatusReply> {
    const [room, problem = unanswered] = await Promise.all([
      this.#room.read(),
      this.#problem.read(),
    ])
    return {
      kind: this.#drive.kind,
      deletes: this.#drive.deletes,
      problem,
      freeBytes: bytesOf(room?.freeBytes),
      totalBytes: bytesOf(room?.totalBytes),
    }
  }

  /** Milliseconds since the epoch. @param bucket one that is served. */
  async createdAtMs(bucket: string): Promise<number | undefined> {
    let answer = this.#createdAtMs.get(bucket)
    if (answer === undefined) {
      const ask = () => this.#drive.bucketCreatedAtMs(bucket)
      answer = new CachedAnswer({ ...this.#common, maxAgeMs: creationMaxAgeMs, ask })
      this.#createdAtMs.set(bucket, answer)
    }
    return answer.read()
  }
}

const unanswered = 'The drive does not respond. See the service log.'

/** Null: no limit, or an invalid value. */
function bytesOf(bytes: number | undefined): number | null {
  return bytes !== undefined && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
}

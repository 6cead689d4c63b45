import { ActivityRecorder, keptActivity } from '../../dashboard/management/activity-recorder.ts'
import type { KeptActivity } from '../../dashboard/management/activity-routes.ts'
import type { ActivityStatus } from '../../dashboard/management/activity-schemas.ts'
import {
  type ActivityKind,
  type ActivityRow,
  ActivityTable,
} from '../../dashboard/management/activity-table.ts'
import { isExpectedFailure, isOwnRequest } from '../../dashboard/management/expected-failures.ts'
import { shareOperation } from '../../dashboard/shares/share-handler.ts'
import { viewAction } from '../../dashboard/shares/shared-files.ts'
import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import type { Refusal } from '../../platform/http/server.ts'
import type { Database } from '../../platform/state/database.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { RequestRecord, RequestSink } from './requests.ts'

export interface ActivityWatchParts {
  readonly settings: Pick<Settings, 'dashboardPassword'>
  readonly buckets: Pick<Buckets, 'find'>
  readonly database: Database
}

type LogFields = NonNullable<HttpReply['logFields']>

type Noted = Pick<HttpRequest, 'id' | 'method'> &
  Pick<HttpReply, 'status' | 'logFields'> & {
    readonly kind: ActivityKind
    readonly atMs: number
    readonly isOwn: boolean
  }

/** S3 operations that do not count as changes: a multipart upload counts when it is completed or aborted. */
const partsOfUpload = ['CreateMultipartUpload', 'UploadPart', 'UploadPartCopy']
/** Dashboard requests that do not count as changes: they only query, test, count, or end a session. */
const onlyAsking = [
  ...['presign', 'dryRunExpiry', 'countBucket', 'testConnection', 'logout', 'session'],
  ...['orderArchive', 'tryChatCompletion', 'tryMessage'],
  ...[
    'countFolder',
    'cancelFolderCount',
    'storeThumbnail',
    'findClashes',
    'noteOpened',
    'changeStars',
  ],
]
const notChanging: ReadonlySet<unknown> = new Set([...partsOfUpload, ...onlyAsking])

/** A resource of the management API that a path names. The rest of a path may be a secret. */
const named = /^\/-\/api\/(buckets|keys|model-keys)\/([^/]+)/

/** Records the requests of this process that failed or changed something, for the dashboard, if there is one. */
export class ActivityWatch implements KeptActivity, RequestSink {
  readonly #settings: ActivityWatchParts['settings']
  readonly #buckets: ActivityWatchParts['buckets']
  readonly #table: ActivityTable
  readonly #recorder: ActivityRecorder

  constructor({ settings, database, buckets }: ActivityWatchParts) {
    this.#settings = settings
    this.#buckets = buckets
    this.#table = new ActivityTable(database, keptActivity)
    this.#recorder = new ActivityRecorder(this.#table)
  }

  /** Called for every finished request. Costs two comparisons if the request only read. */
  onRequest(record: RequestRecord): void {
    const { request, outcome } = record
    const { status, logFields, durationMs } = outcome
    const { id, method, receivedAtMs } = request
    const isView = logFields?.action === viewAction
    const isRead = !isView && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
    if (status < 400 && (isRead || !isChange(request, status, logFields))) return
    const isOwn = isOwnRequest(request, logFields)
    // Failed reads of the dashboard, and its replies to people who are not signed in, are not recorded.
    if (isOwn && status >= 400 && (isRead || !isChange(request, status, logFields))) return
    const failed = isOwn ? 'own' : 'failure'
    const kind = status < 400 ? 'change' : failed
    const atMs = receivedAtMs + Math.round(durationMs)
    const noted: Noted = {
      id,
      method,
      kind,
      atMs,
      status,
      isOwn,
      logFields: withTarget(request, logFields),
    }
    this.#note(noted, () => record.clientAddress)
  }

  /** Called for input that is not a valid request. */
  onRefuse({ requestId, remoteAddress, reply: { status, logFields } }: Refusal): void {
    const noted = { id: requestId, method: '', atMs: Date.now(), status, logFields }
    this.#note({ ...noted, kind: 'failure', isOwn: false }, () => remoteAddress)
  }

  /** The activity of all processes: of this process at once, of others within a second. */
  async page(page: Parameters<KeptActivity['page']>[0]): Promise<ActivityRow[]> {
    if (page.after === undefined) await this.#recorder.flush()
    return this.#table.page(Date.now(), page)
  }

  async clear(): Promise<void> {
    await this.#recorder.flush()
    await this.#table.clear(Date.now())
  }

  /** Writes the remaining rows. */
  close(): Promise<void> {
    return this.#recorder.close()
  }

  #note(noted: Noted, addressOf: () => string): void {
    const { id, method, kind, atMs, status, isOwn, logFields = {} } = noted
    // Without a dashboard, nobody can see the rows.
    if (this.#settings.dashboardPassword === undefined) return
    if (kind !== 'change' && isExpectedFailure({ method, status, logFields }, this.#buckets)) return
    this.#recorder.note(kind, {
      ...{ atMs, requestId: id, method, status },
      bucket: textOf(logFields.bucket),
      key: textOf(logFields.key),
      operation: textOf(logFields.operation),
      code: textOf(logFields.code),
      reason: textOf(logFields.reason),
      remoteAddress: addressOf(),
      by: authorOf(logFields, isOwn),
      accessKey: textOf(logFields.accessKey),
      action: textOf(logFields.action),
    })
  }
}

function isChange(
  { rawPath, method }: Pick<HttpRequest, 'rawPath' | 'method'>,
  status: number,
  { operation, bucket, action }: LogFields = {},
): boolean {
  if (operation === undefined || notChanging.has(operation)) return false
  // A visitor who enters a password changes nothing, but may be guessing.
  if (operation === shareOperation)
    return method === 'PUT' || status >= 400 || action === viewAction
  return bucket !== undefined || rawPath.startsWith('/-/api/') || rawPath.startsWith('/auth/')
}

/** The log fields with the bucket or key that a management request concerns. */
function withTarget({ rawPath }: HttpRequest, logFields: LogFields = {}): LogFields {
  if (logFields.bucket !== undefined) return logFields
  const [, resource, name] = named.exec(rawPath) ?? []
  if (name === undefined) return logFields
  return { ...logFields, [resource === 'buckets' ? 'bucket' : 'key']: decoded(name) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function authorOf(
  { operation, accessKey, anonymous, bucket }: LogFields,
  isOwn: boolean,
): ActivityStatus['by'] {
  if (operation === shareOperation) return 'anyone'
  if (isOwn) return 'dashboard'
  if (accessKey !== undefined) return 'key'
  if (anonymous === true) return 'anyone'
  // If the operation is unknown, no signature was verified.
  return operation === undefined || bucket === undefined ? null : 'owner'
}

function textOf(fact: LogFields[string] | undefined): string | null {
  return fact === undefined ? null : String(fact)
}

import { z } from 'zod'
import { DriveError } from '../../drive-error.ts'
import type { DriveStatistics } from '../../drive-statistics.ts'
import {
  type Clock,
  noRetries,
  type RetryNote,
  type RetryPolicyOptions,
  systemClock,
} from '../../kit/cloud/retry-policy.ts'
import { AccessTokens } from './access-tokens.ts'
import type { GoogleCredentials } from './credentials.ts'
import type { Download } from './download.ts'
import { type Call, GoogleCalls } from './google-calls.ts'
import {
  type CallOptions,
  creating,
  FileIds,
  fileUrl,
  type GoogleContext,
  type GoogleEndpoints,
  getFile,
  googleEndpoints,
  jsonType,
  supported,
  urlOf,
} from './google-context.ts'
import { GoogleNotFound } from './google-failure.ts'
import {
  type Account,
  accountSchema,
  type ChangePage,
  changePageSchema,
  type FileMetadata,
  type FilePage,
  fileFields,
  filePageSchema,
  type GoogleFile,
  googleFileSchema,
  metadataJson,
} from './google-file.ts'
import { defaultLimits, GoogleHttp, type HttpLimits } from './google-http.ts'
import { defaultQuota, type Quota, RateBudget } from './rate-budget.ts'
import { ResumableSessions, type SessionChunk, type SessionState } from './resumable-sessions.ts'
import {
  beginSession,
  type DownloadOptions,
  download,
  type SessionOptions,
  type SmallUpload,
  uploadSmall,
} from './transfer-calls.ts'

/** Google recommends a maximum of 32 or 64 s ("truncated exponential backoff"). */
const googleBackOff = { firstMs: 500, longestMs: 32_000 }

export interface GoogleApiOptions {
  readonly credentials: GoogleCredentials
  /** Default: Google's. */
  readonly endpoints?: GoogleEndpoints
  /** The shared drive for lists and changes; absent for My Drive. */
  readonly sharedDriveId?: string | undefined
  /** The quota of the credential, divided among the processes. */
  readonly quota?: Quota
  readonly limits?: Partial<HttpLimits>
  /** Milliseconds for which a call is repeated before it fails. Default: 25,000. */
  readonly retryForMs?: number
  /** Logs a repeated call. */
  readonly onRetry?: (note: RetryNote) => void
  readonly clock?: Clock
}

export interface ListFilesQuery extends CallOptions {
  /** In Drive's query language; see `queryLiteral`. */
  readonly q?: string
  readonly pageToken?: string | undefined
  /** At most 1,000, which is the default. */
  readonly pageSize?: number | undefined
}

interface UpdateOptions extends CallOptions {
  readonly addParents?: readonly string[]
  readonly removeParents?: readonly string[]
}

interface RevisionOptions extends CallOptions {
  /** GoogleFile.headRevisionId of earlier bytes. */
  readonly revisionId: string
  readonly isKept: boolean
}

/** Drive responds when the copy is complete; a file may have many GB. */
const copyMs = 300_000

const idsAnswer = z.object({ ids: z.array(z.string().min(1)).min(1) })
const startAnswer = z.object({ startPageToken: z.string().min(1) })

/**
 * The calls of Google Drive v3 (developers.google.com/workspace/drive/api/reference/rest/v3). Every
 * call waits for its share of the quota and is repeated after transient errors. Every method may
 * reject with DriveError, including the types in google-failure.ts, or with the reason of its
 * signal. Any other rejection is a bug.
 */
export class GoogleApi {
  readonly #http: GoogleHttp
  readonly #context: GoogleContext
  readonly #sessions: ResumableSessions
  readonly #retries = noRetries()

  constructor(options: GoogleApiOptions) {
    const { credentials, clock = systemClock, retryForMs = 25_000, onRetry } = options
    const endpoints = options.endpoints ?? googleEndpoints
    const http = new GoogleHttp({ ...defaultLimits, ...options.limits })
    const budget = new RateBudget(options.quota ?? defaultQuota, clock)
    const retryPolicy: RetryPolicyOptions = {
      service: 'Google Drive',
      clock,
      retryForMs,
      backOff: googleBackOff,
      onRateLimit: (waitMs, call) => budget.pause(waitMs, call),
      onRetry,
      counts: this.#retries,
    }
    const tokens = new AccessTokens({ credentials, tokenUrl: endpoints.token, http, retryPolicy })
    const calls = new GoogleCalls({ http, tokens, budget, retryPolicy })
    this.#http = http
    this.#context = {
      calls,
      endpoints,
      ids: new FileIds((count) => this.#generateIds(count)),
      sharedDriveId: options.sharedDriveId,
    }
    this.#sessions = new ResumableSessions(this.#context)
  }

  /** @param id may be `root`. @throws GoogleNotFound. */
  getFile(id: string, options: CallOptions = {}): Promise<GoogleFile> {
    return getFile(this.#context, id, options)
  }

  /** As `getFile`; undefined when the file does not exist. */
  async findFile(id: string, options: CallOptions = {}): Promise<GoogleFile | undefined> {
    try {
      return await this.getFile(id, options)
    } catch (error) {
      if (error instanceof GoogleNotFound) return undefined
      throw error
    }
  }

  /** @throws GooglePageExpired when the page token is rejected; GoogleNotFound for a folder in `q`. */
  async listFiles({ q, pageToken, pageSize = 1000, signal }: ListFilesQuery): Promise<FilePage> {
    const { calls, endpoints, sharedDriveId } = this.#context
    const url = urlOf(`${endpoints.api}/files`, {
      ...supported,
      includeItemsFromAllDrives: 'true',
      corpora: sharedDriveId === undefined ? 'user' : 'drive',
      driveId: sharedDriveId,
      spaces: 'drive',
      q,
      pageToken,
      pageSize: String(pageSize),
      fields: `nextPageToken,incompleteSearch,files(${fileFields})`,
    })
    const hasPageToken = pageToken !== undefined
    const fileId = 'of the listed folder'
    const page = await calls.json(
      { doing: 'list files', method: 'GET', url, cost: 'list', fileId, hasPageToken, signal },
      filePageSchema,
    )
    // What is missing may exist (reference of files.list, `incompleteSearch`).
    if (page.isIncomplete) {
      throw new DriveError('unavailable', 'Google Drive returned an incomplete list. Try again.')
    }
    return page
  }

  /** A file without bytes, or a folder. @throws GoogleNotFound for the parent. */
  createFile(metadata: FileMetadata, { signal }: CallOptions = {}): Promise<GoogleFile> {
    const call: Call = {
      doing: 'create a file',
      method: 'POST',
      url: urlOf(`${this.#context.endpoints.api}/files`, { ...supported, fields: fileFields }),
      cost: 'update',
      fileId: metadata.parents?.[0],
      signal,
    }
    return this.#create(call, metadata)
  }

  /** @throws GoogleNotFound for the file to replace, or for the parent of a new file. */
  uploadSmall(upload: SmallUpload): Promise<GoogleFile> {
    return uploadSmall(this.#context, upload)
  }

  /** @throws GoogleNotFound. */
  updateFile(
    id: string,
    patch: FileMetadata,
    { addParents, removeParents, signal }: UpdateOptions = {},
  ): Promise<GoogleFile> {
    const url = fileUrl(this.#context, id, {
      addParents: addParents?.join(','),
      removeParents: removeParents?.join(','),
      fields: fileFields,
    })
    return this.#sendMetadata(
      { doing: 'change a file', method: 'PATCH', url, cost: 'update', fileId: id, signal },
      patch,
    )
  }

  /** Moves a file to the trash; false when it does not exist. */
  trash(id: string, { signal }: CallOptions = {}): Promise<boolean> {
    return this.#remove({
      doing: 'move a file to the trash',
      method: 'PATCH',
      url: fileUrl(this.#context, id, { fields: 'id' }),
      headers: jsonType,
      body: JSON.stringify({ trashed: true }),
      cost: 'update',
      fileId: id,
      signal,
    })
  }

  /** Permanently deletes a file, or a folder with its contents; false when it does not exist. */
  delete(id: string, { signal }: CallOptions = {}): Promise<boolean> {
    const url = fileUrl(this.#context, id, {})
    const doing = 'delete a file'
    return this.#remove({ doing, method: 'DELETE', url, cost: 'update', fileId: id, signal })
  }

  /** @throws GoogleNotFound with the source's id, for the source or the target's parent. */
  copyFile(id: string, metadata: FileMetadata, { signal }: CallOptions = {}): Promise<GoogleFile> {
    const call: Call = {
      doing: 'copy a file',
      method: 'POST',
      url: fileUrl(this.#context, id, { fields: fileFields }, '/copy'),
      cost: 'update',
      callMs: copyMs,
      isUpload: true,
      fileId: id,
      signal,
    }
    return this.#create(call, metadata)
  }

  /** An id for FileMetadata.id, usually without a call. Two calls with one id create one file. */
  newId(): Promise<string> {
    return this.#context.ids.next()
  }

  /** Takes back an id of `newId` that was not used for a file and will not be. */
  giveBackId(id: string): void {
    this.#context.ids.giveBack(id)
  }

  /**
   * Pins earlier bytes of a file ("keep forever"), or unpins them. Only pinned ones can be downloaded.
   * A file can have 200 of them, and they count toward the storage
   * (developers.google.com/workspace/drive/api/guides/manage-revisions).
   *
   * @throws GoogleNotFound.
   */
  async keepRevision(id: string, { revisionId, isKept, signal }: RevisionOptions): Promise<void> {
    const { calls } = this.#context
    const revision = `/revisions/${encodeURIComponent(revisionId)}`
    const call: Call = {
      doing: 'pin or unpin a revision',
      method: 'PATCH',
      url: fileUrl(this.#context, id, { fields: 'id' }, revision),
      headers: jsonType,
      body: JSON.stringify({ keepForever: isKept }),
      cost: 'update',
      fileId: id,
      signal,
    }
    await calls.run(call, (answer) => answer.drain())
  }

  /** @throws GoogleNotFound; DriveError `changed` if the range is outside the file. */
  download(id: string, options: DownloadOptions = {}): Promise<Download> {
    return download(this.#context, id, options)
  }

  /**
   * Resolves with the session's URL, which is a secret.
   *
   * @throws GoogleNotFound for the file to replace, or for the parent of a new file; GoogleIdTaken.
   */
  beginSession(options: SessionOptions): Promise<string> {
    return beginSession(this.#context, options)
  }

  /** See ResumableSessions.send. */
  sendChunk(sessionUrl: string, chunk: SessionChunk): Promise<SessionState> {
    return this.#sessions.send(sessionUrl, chunk)
  }

  querySession(sessionUrl: string, { signal }: CallOptions = {}): Promise<SessionState> {
    return this.#sessions.query(sessionUrl, signal)
  }

  /** Succeeds if the session does not exist. */
  cancelSession(sessionUrl: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#sessions.cancel(sessionUrl, signal)
  }

  async startPageToken({ signal }: CallOptions = {}): Promise<string> {
    const { calls, endpoints, sharedDriveId } = this.#context
    const url = urlOf(`${endpoints.api}/changes/startPageToken`, {
      ...supported,
      driveId: sharedDriveId,
      fields: 'startPageToken',
    })
    const doing = 'return a start page token'
    const call: Call = { doing, method: 'GET', url, cost: 'other', signal }
    return (await calls.json(call, startAnswer)).startPageToken
  }

  /** @throws GooglePageExpired when the token is rejected. */
  changes(pageToken: string, { signal }: CallOptions = {}): Promise<ChangePage> {
    const { calls, endpoints, sharedDriveId } = this.#context
    const url = urlOf(`${endpoints.api}/changes`, {
      ...supported,
      includeItemsFromAllDrives: 'true',
      includeRemoved: 'true',
      spaces: 'drive',
      driveId: sharedDriveId,
      pageToken,
      pageSize: '1000',
      fields: `nextPageToken,newStartPageToken,changes(fileId,removed,file(${fileFields}))`,
    })
    return calls.json(
      { doing: 'list changes', method: 'GET', url, cost: 'list', hasPageToken: true, signal },
      changePageSchema,
    )
  }

  about({ signal }: CallOptions = {}): Promise<Account> {
    const { calls, endpoints } = this.#context
    const fields = 'user(emailAddress),storageQuota(limit,usage)'
    const url = urlOf(`${endpoints.api}/about`, { fields })
    const doing = 'return account information'
    return calls.json({ doing, method: 'GET', url, cost: 'other', signal }, accountSchema)
  }

  statistics(): DriveStatistics {
    return { queues: this.#http.waiting, retries: this.#retries }
  }

  /** Closes the connections; requests in progress fail. */
  close(): Promise<void> {
    return this.#http.close()
  }

  async #create(call: Call, metadata: FileMetadata): Promise<GoogleFile> {
    const id = metadata.id ?? (await this.newId())
    const send = () => this.#sendMetadata({ ...call, newId: id }, { ...metadata, id })
    return await creating(this.#context, { id, signal: call.signal }, send)
  }

  #sendMetadata(call: Call, metadata: FileMetadata): Promise<GoogleFile> {
    const body = JSON.stringify(metadataJson(metadata))
    return this.#context.calls.json({ ...call, headers: jsonType, body }, googleFileSchema)
  }

  /** Whether there was a file. After a failed attempt, a missing file was probably removed by it. */
  async #remove(call: Call): Promise<boolean> {
    const { calls } = this.#context
    const retryPolicy = calls.retryPolicy(call)
    try {
      const answer = await retryPolicy.persist(() => calls.once(call, retryPolicy))
      await answer.drain()
      return true
    } catch (error) {
      if (error instanceof GoogleNotFound) return retryPolicy.failures > 0
      throw error
    }
  }

  async #generateIds(count: number): Promise<readonly string[]> {
    const { calls, endpoints } = this.#context
    const url = urlOf(`${endpoints.api}/files/generateIds`, {
      count: String(count),
      space: 'drive',
      fields: 'ids',
    })
    const call: Call = { doing: 'generate file IDs', method: 'GET', url, cost: 'other' }
    return (await calls.json(call, idsAnswer)).ids
  }
}

/** A string literal of Drive's query language. */
export function queryLiteral(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

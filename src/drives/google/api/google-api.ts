import { type Clock, systemClock } from '../../cloud/clock.ts'
import type { RetryNote, RetryPolicyOptions } from '../../cloud/retry-policy.ts'
import { AccessTokens } from './access-tokens.ts'
import { about, changes, startPageToken } from './account-calls.ts'
import type { GoogleCredentials } from './credentials.ts'
import type { Download } from './download.ts'
import { type GoogleEndpoints, googleEndpoints } from './endpoints.ts'
import {
  copyFile,
  createFile,
  deleteFile,
  generateIds,
  type Keeping,
  keepRevision,
  type ListFilesQuery,
  listFiles,
  trash,
  type UpdateOptions,
  updateFile,
} from './file-calls.ts'
import { FileIds } from './file-ids.ts'
import { getFile } from './get-file.ts'
import { GoogleCalls } from './google-calls.ts'
import type { CallOptions, GoogleContext } from './google-context.ts'
import type { AccountFacts, ChangePage, FileMetadata, FilePage, GoogleFile } from './google-file.ts'
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

/** Google advises to stop growing at 32 or 64 s ("truncated exponential backoff"). */
const googleBackOff = { firstMs: 500, longestMs: 32_000 }

export interface GoogleApiOptions {
  readonly credentials: GoogleCredentials
  /** Default: Google's. */
  readonly endpoints?: GoogleEndpoints
  /** The shared drive that lists and changes are asked of; absent: My Drive. */
  readonly sharedDriveId?: string | undefined
  /** Google's quota of the credential; of several processes each has its share. */
  readonly quota?: Quota
  readonly limits?: Partial<HttpLimits>
  /** Milliseconds for which a call is repeated before it fails. Default: 25,000. */
  readonly retryForMs?: number
  /** For the log. */
  readonly onRetry?: (note: RetryNote) => void
  readonly clock?: Clock
}

/**
 * Google Drive v3, call by call (developers.google.com/workspace/drive/api/reference/rest/v3).
 * Every call waits for its share of the quota and is repeated while that may help. Every method may
 * reject with DriveError, the types of google-errors.ts among them, or with the reason of its
 * signal, and with nothing else but bugs.
 */
export class GoogleApi {
  readonly #http: GoogleHttp
  readonly #context: GoogleContext
  readonly #sessions: ResumableSessions

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
    }
    const tokens = new AccessTokens({ credentials, tokenUrl: endpoints.token, http, retryPolicy })
    const calls = new GoogleCalls({ http, tokens, budget, retryPolicy })
    this.#http = http
    this.#context = {
      calls,
      endpoints,
      ids: new FileIds((count) => generateIds({ calls, endpoints }, count, {})),
      sharedDriveId: options.sharedDriveId,
    }
    this.#sessions = new ResumableSessions({
      calls,
      uploadOrigin: new URL(endpoints.upload).origin,
      getFile: (id, signal) => this.getFile(id, { signal }),
    })
  }

  /** `root` is an id, too. @throws GoogleNotFound. */
  getFile(id: string, options: CallOptions = {}): Promise<GoogleFile> {
    return getFile(this.#context, id, options)
  }

  /** @throws GooglePageExpired when the page token is not taken. */
  listFiles(query: ListFilesQuery): Promise<FilePage> {
    return listFiles(this.#context, query)
  }

  /** A file without bytes, or a folder. @throws GoogleNotFound for the parent. */
  createFile(metadata: FileMetadata, options: CallOptions = {}): Promise<GoogleFile> {
    return createFile(this.#context, metadata, options)
  }

  /** @throws GoogleNotFound for the file that is to be replaced, or for the parent of a new one. */
  uploadSmall(upload: SmallUpload): Promise<GoogleFile> {
    return uploadSmall(this.#context, upload)
  }

  /** @throws GoogleNotFound. */
  updateFile(id: string, patch: FileMetadata, options: UpdateOptions = {}): Promise<GoogleFile> {
    return updateFile(this.#context, id, patch, options)
  }

  /** Moves to the trash; false when there is no such file. */
  trash(id: string, options: CallOptions = {}): Promise<boolean> {
    return trash(this.#context, id, options)
  }

  /** Permanently deletes a file, or a folder with its contents; false when it does not exist. */
  delete(id: string, options: CallOptions = {}): Promise<boolean> {
    return deleteFile(this.#context, id, options)
  }

  /** @throws GoogleNotFound, which names the source, for the source or the target's parent. */
  copyFile(id: string, metadata: FileMetadata, options: CallOptions = {}): Promise<GoogleFile> {
    return copyFile(this.#context, id, metadata, options)
  }

  /** An id for FileMetadata.id, mostly without a call: what is made with it twice is one file. */
  newId(): Promise<string> {
    return this.#context.ids.next()
  }

  /** Takes an id of `newId` back that no file was made with, and none will be. */
  giveBackId(id: string): void {
    this.#context.ids.giveBack(id)
  }

  /** Marks former bytes to be kept, or takes the mark away. @throws GoogleNotFound. */
  keepRevision(id: string, keeping: Keeping): Promise<void> {
    return keepRevision(this.#context, id, keeping)
  }

  /** @throws GoogleNotFound; DriveError `changed` when the range lies outside the file. */
  download(id: string, options: DownloadOptions = {}): Promise<Download> {
    return download(this.#context, id, options)
  }

  /**
   * Resolves with the session's URL, which is a secret.
   *
   * @throws GoogleNotFound for the file that is to be replaced, or for the parent of a new one;
   * GoogleIdTaken.
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

  /** Nothing there is success. */
  cancelSession(sessionUrl: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#sessions.cancel(sessionUrl, signal)
  }

  startPageToken(options: CallOptions = {}): Promise<string> {
    return startPageToken(this.#context, options)
  }

  /** @throws GooglePageExpired when the token is not taken. */
  changes(pageToken: string, options: CallOptions = {}): Promise<ChangePage> {
    return changes(this.#context, pageToken, options)
  }

  about(options: CallOptions = {}): Promise<AccountFacts> {
    return about(this.#context, options)
  }

  /** Closes the connections; requests in progress fail. */
  close(): Promise<void> {
    return this.#http.close()
  }
}

/** A text as a literal of Drive's query language. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

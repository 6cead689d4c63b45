import type { GoogleCredentials } from './credentials.ts'
import type { GoogleEndpoints } from './endpoints.ts'
import type { AccountFacts, ChangePage, FileMetadata, FilePage, GoogleFile } from './google-file.ts'

export interface GoogleApiOptions {
  readonly credentials: GoogleCredentials
  readonly endpoints?: GoogleEndpoints
  /** The shared drive that lists and changes are asked of; absent: My Drive. */
  readonly sharedDriveId?: string
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface ListFilesQuery extends CallOptions {
  /** In Drive's query language; see `quoted`. */
  readonly q?: string
  readonly pageToken?: string
  /** At most 1,000, which is the default. */
  readonly pageSize?: number
}

export interface SmallUpload extends CallOptions {
  /** The file whose bytes are replaced. Absent: a new file. */
  readonly id?: string
  /** With `mimeType`, which also is that of the bytes. */
  readonly metadata: FileMetadata
  /** Advised up to 5 MiB. */
  readonly bytes: Uint8Array
}

export interface UpdateOptions extends CallOptions {
  readonly addParents?: readonly string[]
  readonly removeParents?: readonly string[]
}

export interface DownloadOptions extends CallOptions {
  /** From `start` up to but not including `end`, of at least one byte. Absent: the whole file. */
  readonly range?: { readonly start: number; readonly end: number }
  /** Exactly these bytes of the file's history (GoogleFile.headRevisionId); absent: the latest. */
  readonly revisionId?: string
}

export interface Download {
  readonly status: 200 | 206
  /** Bytes that will come. */
  readonly length: number
  /** Bytes of the whole file. */
  readonly size: number
  /**
   * The bytes. Rejects with `unavailable` when they break off. Ending the iteration early closes
   * the connection.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Drops a body that is not read. Idempotent. */
  close(): void
}

export interface SessionOptions extends CallOptions {
  /** The file whose bytes are replaced. Absent: a new file. */
  readonly id?: string
  readonly metadata: FileMetadata
  /** Bytes that will come, where known. */
  readonly size?: number
}

export interface SessionChunk extends CallOptions {
  /** Where the bytes begin: what the session holds already. */
  readonly offset: number
  /**
   * A number of bytes that is a multiple of 256 KiB unless `total` is reached with them. An array
   * is sent without copying, again and again until the session has all of it; a stream once.
   */
  readonly bytes: readonly Uint8Array[] | AsyncIterable<Uint8Array>
  readonly length: number
  /** Bytes of the whole file, where this is its end; otherwise undefined. */
  readonly total: number | undefined
}

/** What a resumable session says of itself. */
export type SessionState =
  /** The first `persisted` bytes are with Drive, no others. */
  | { readonly kind: 'open'; readonly persisted: number }
  | { readonly kind: 'done'; readonly file: GoogleFile }
  /** Expired (a week), cancelled or refused: the upload begins anew. */
  | { readonly kind: 'gone' }

/** Google Drive v3, call by call. Every method may reject with DriveError, and nothing else. */
export class GoogleApi {
  constructor(_options: GoogleApiOptions) {
    throw new Error('comes soon')
  }

  /** @throws GoogleNotFound. `root` is an id, too. */
  declare getFile: (id: string, options?: CallOptions) => Promise<GoogleFile>
  /** @throws GooglePageExpired when the page token is not taken. */
  declare listFiles: (query: ListFilesQuery) => Promise<FilePage>
  /** A file without bytes, or a folder. */
  declare createFile: (metadata: FileMetadata, options?: CallOptions) => Promise<GoogleFile>
  declare uploadSmall: (upload: SmallUpload) => Promise<GoogleFile>
  /** @throws GoogleNotFound. */
  declare updateFile: (
    id: string,
    patch: FileMetadata,
    options?: UpdateOptions,
  ) => Promise<GoogleFile>
  /** Moves to the trash; false when there is no such file. */
  declare trash: (id: string, options?: CallOptions) => Promise<boolean>
  /** Removes for good, with all that is in a folder; false when there is no such file. */
  declare delete: (id: string, options?: CallOptions) => Promise<boolean>
  /** @throws GoogleNotFound for the source. */
  declare copyFile: (
    id: string,
    metadata: FileMetadata,
    options?: CallOptions,
  ) => Promise<GoogleFile>
  /** Ids for FileMetadata.id, 1 to 1,000. */
  declare generateIds: (count: number, options?: CallOptions) => Promise<readonly string[]>
  /** @throws GoogleNotFound; DriveError `changed` when the range lies outside the file. */
  declare download: (id: string, options?: DownloadOptions) => Promise<Download>
  /** Resolves with the session's URL, which is a secret. @throws GoogleNotFound. */
  declare beginSession: (options: SessionOptions) => Promise<string>
  declare sendChunk: (sessionUrl: string, chunk: SessionChunk) => Promise<SessionState>
  declare querySession: (sessionUrl: string, options?: CallOptions) => Promise<SessionState>
  /** Nothing there is success. */
  declare cancelSession: (sessionUrl: string, options?: CallOptions) => Promise<void>
  declare startPageToken: (options?: CallOptions) => Promise<string>
  /** @throws GooglePageExpired when the token is not taken. */
  declare changes: (pageToken: string, options?: CallOptions) => Promise<ChangePage>
  declare about: (options?: CallOptions) => Promise<AccountFacts>
  /** Closes the connections; calls under way end. */
  declare close: () => Promise<void>
}

/** A text as a literal of Drive's query language. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

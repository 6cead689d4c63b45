import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import type { OriginOf } from '../../platform/http/origin.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { ThumbnailTable } from '../thumbnails/thumbnail-table.ts'
import type { ArchiveSlots } from './archive-slots.ts'
import type { MakerAccess } from './maker-access.ts'
import type { Share } from './share.ts'
import type { ShareCookies } from './share-cookies.ts'
import type { SharePage } from './share-pages.ts'
import type { ShareTable } from './share-table.ts'

export interface ShareHandlerParts {
  readonly table: Pick<ShareTable, 'find' | 'count' | 'countView'>
  readonly thumbnails: Pick<ThumbnailTable, 'find' | 'add'>
  readonly makers: MakerAccess
  readonly drive: Pick<Drive, 'list' | 'head' | 'open' | 'remove'>
  readonly archives: ArchiveSlots
  readonly cookies: ShareCookies
  /** AUTH_KV, where wrong passwords are counted. */
  readonly attempts: KeyValueStore
  readonly clientAddress: (request: HttpRequest) => string
  /** Scheme and host that the visitor used. */
  readonly originOf: OriginOf
  /** Whether a browser sent the request on behalf of a page that is not ours. */
  readonly isFromOtherOrigin: (request: HttpRequest) => boolean
  /** The folder of the web build. */
  readonly folder: string
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  readonly onFailure: (error: unknown, requestId: string) => void
}

/** A request for a share that works, by a visitor who is allowed to use it. */
export interface Visit {
  readonly request: HttpRequest
  readonly share: Share
  readonly token: string
  /** The rest of the path after the token, still encoded: '' or beginning with a slash. */
  readonly rest: string
  readonly isSecure: boolean
  /** What the log line says of the visit. */
  readonly logFields: Record<string, string>
}

/** The answer to a visit: the content of a page, or a complete reply. */
export type VisitReply = SharePage | HttpReply

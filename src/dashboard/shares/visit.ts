import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import type { OriginOf } from '../../platform/http/origin.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { ArchiveSlots } from './archive-slots.ts'
import type { MakerAccess } from './maker-access.ts'
import type { Share } from './share.ts'
import type { ShareCookies } from './share-cookies.ts'
import type { SharePage } from './share-pages.ts'
import type { ShareTable } from './share-table.ts'

export interface ShareHandlerParts {
  readonly table: Pick<ShareTable, 'find' | 'count'>
  readonly makers: MakerAccess
  readonly drive: Pick<Drive, 'list' | 'head' | 'open' | 'remove'>
  readonly archives: ArchiveSlots
  readonly cookies: ShareCookies
  /** AUTH_KV, where wrong passwords are counted. */
  readonly attempts: KeyValueStore
  readonly clientAddress: (request: HttpRequest) => string
  /** Scheme and host that the visitor used. */
  readonly originOf: OriginOf
  /** Whether a browser sends the request for a page that is not ours. */
  readonly isFromOtherOrigin: (request: HttpRequest) => boolean
  /** The folder of the web build. */
  readonly folder: string
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  readonly onFailure: (error: unknown, requestId: string) => void
}

/** A request for a share that works, by somebody who may use it. */
export interface Visit {
  readonly request: HttpRequest
  readonly share: Share
  readonly token: string
  /** What follows the token in the path, still encoded: '', or with a slash at its beginning. */
  readonly rest: string
  readonly isSecure: boolean
}

/** What a visit is answered with: a page to fill in, or a whole reply. */
export type VisitReply = SharePage | HttpReply

import { ArchivePlaces } from '../console/shares/archive-places.ts'
import { MakerAccess } from '../console/shares/maker-access.ts'
import { ShareCookies } from '../console/shares/share-cookies.ts'
import { createShareHandler } from '../console/shares/share-handler.ts'
import type { Drive } from '../drives/drive.ts'
import type { HttpHandler } from '../http/message.ts'
import { isFromOtherOrigin } from '../http/page-origin.ts'
import { originBehind } from '../http/request-origin.ts'
import { presign } from '../s3/sigv4/presign.ts'
import type { Database } from '../state/database.ts'
import type { KeyValueStore } from '../state/key-value/key-value.ts'
import { createSealer } from '../state/sealer.ts'
import { ShareTable } from '../state/stores/shares.ts'
import type { Log } from './log.ts'
import type { Registries } from './registries.ts'
import type { Settings } from './settings/read-settings.ts'
import { clientOf } from './untrusted-proxies.ts'

interface SharesWiring {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly registries: Pick<Registries, 'keys'>
  readonly s3: HttpHandler
  readonly drive: Drive
  /** The folder of the web build. */
  readonly folder: string
  /** The database's time. */
  readonly now: () => number
}

/** What answers visitors of shares. */
export function openShares(wiring: SharesWiring): HttpHandler {
  const { settings, log, database, sessions, registries, s3, folder, now } = wiring
  const { accessKey, secretKey, region, publicUrl, trustProxy } = settings
  const originOf = originBehind(trustProxy)
  return createShareHandler({
    table: new ShareTable(database),
    makers: new MakerAccess({
      keys: registries.keys,
      ownerKey: accessKey,
      ...{ s3, now: Date.now },
      presign: (request) => presign({ ...request, region }),
    }),
    drive: wiring.drive,
    archives: new ArchivePlaces(),
    cookies: new ShareCookies(createSealer(secretKey, 'shares'), now),
    attempts: sessions,
    clientAddress: clientOf(settings),
    originOf: (request) => publicUrl ?? originOf(request),
    // Our own form says `null`, since Referrer-Policy hides the token (Fetch, "append a request `Origin` header").
    isFromOtherOrigin: (request) =>
      (request.headers.origin !== 'null' || request.headers['sec-fetch-site'] !== undefined) &&
      isFromOtherOrigin(request, [publicUrl, originOf(request)]),
    ...{ folder, now },
    onFailure: (error, requestId) => log.error({ requestId, err: error }, 'a share failed'),
  })
}

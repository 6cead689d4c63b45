import { ArchivePlaces } from '../../dashboard/shares/archive-places.ts'
import { MakerAccess } from '../../dashboard/shares/maker-access.ts'
import { ShareCookies } from '../../dashboard/shares/share-cookies.ts'
import { createShareHandler } from '../../dashboard/shares/share-handler.ts'
import { ShareTable } from '../../dashboard/shares/share-table.ts'
import type { HttpHandler } from '../../platform/http/message.ts'
import { isFromOtherOrigin, originBehind } from '../../platform/http/origin.ts'
import type { Database } from '../../platform/state/database.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import { createSealer } from '../../platform/state/sealer.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { KeyHandler } from '../../storage/s3/handler.ts'
import { clientOf } from '../gateway/untrusted-proxies.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'
import type { Registries } from './registries.ts'

interface SharesWiring {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly registries: Pick<Registries, 'keys'>
  readonly s3: KeyHandler
  readonly drive: Drive
  /** The folder of the web build. */
  readonly folder: string
  /** The database's time. */
  readonly now: () => number
}

/** What answers visitors of shares. */
export function openShares(wiring: SharesWiring): HttpHandler {
  const { settings, log, database, sessions, registries, s3, folder, now } = wiring
  const { accessKey, secretKey, publicUrl, trustProxy } = settings
  const originOf = originBehind(trustProxy)
  return createShareHandler({
    table: new ShareTable(database),
    makers: new MakerAccess({
      keys: registries.keys,
      ownerKey: accessKey,
      s3,
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

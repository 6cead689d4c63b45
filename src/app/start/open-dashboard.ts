import { join } from 'node:path'
import { ArchiveSlots } from '../../dashboard/shares/archive-slots.ts'
import { MakerAccess } from '../../dashboard/shares/maker-access.ts'
import { ShareCookies } from '../../dashboard/shares/share-cookies.ts'
import { createShareHandler } from '../../dashboard/shares/share-handler.ts'
import { ShareTable } from '../../dashboard/shares/share-table.ts'
import { ThumbnailTable } from '../../dashboard/thumbnails/thumbnail-table.ts'
import { createWebApp } from '../../dashboard/web-app/web-app.ts'
import type { HttpHandler } from '../../platform/http/message.ts'
import { isFromOtherOrigin, originBehind } from '../../platform/http/origin.ts'
import { packageFolder } from '../../platform/process/package-folder.ts'
import type { Database } from '../../platform/state/database.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import { createSealer } from '../../platform/state/sealer.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { KeyHandler } from '../../storage/s3/handler.ts'
import { clientOf } from '../gateway/untrusted-proxies.ts'
import type { Settings } from '../settings/read-settings.ts'
import { ActivityWatch } from '../telemetry/activity-watch.ts'
import type { Log } from '../telemetry/log.ts'
import type { CachedState } from './cached-state.ts'
import type { JsonProtocolParts } from './json/json-routes.ts'

/** Created by scripts/build.ts. */
export const webBuild = join(packageFolder, 'web/dist')

/** The dashboard, and the JSON protocols: login, management, model list. */
export interface OpenConsole {
  readonly json: HttpHandler
  readonly web: HttpHandler
  /** The requests of all protocols, for the dashboard. */
  readonly activity: ActivityWatch
  /** Reports mistakes in the user's own catalogue. @throws CatalogueError with a user-facing message */
  checkCatalogue(): Promise<void>
  close(): Promise<void>
}

/** @param parts the dependencies of the JSON protocols, which are loaded at their first request */
export function openConsole(parts: Omit<JsonProtocolParts, 'activity' | 'onClose'>): OpenConsole {
  const { settings, database, buckets } = parts
  const activity = new ActivityWatch({ settings, database, buckets })
  const json = new LazyJson({ ...parts, activity })
  return {
    json: json.handler,
    web: createWebApp({ folder: webBuild }),
    activity,
    async checkCatalogue() {
      if (settings.modelCatalogue !== undefined) await json.open()
    },
    async close() {
      await json.close()
      await activity.close()
    },
  }
}

/**
 * The JSON protocols, loaded at their first request: the schemas and the catalogue take 0.2 s of the
 * start and 14 MiB of every process, and many gateways serve only S3.
 */
class LazyJson {
  readonly #parts: JsonProtocolParts
  readonly #closers: (() => Promise<void>)[] = []
  #opened: Promise<HttpHandler> | undefined

  constructor(parts: Omit<JsonProtocolParts, 'onClose'>) {
    this.#parts = { ...parts, onClose: (close) => this.#closers.push(close) }
  }

  readonly handler: HttpHandler = async (request) => {
    const handler = await this.open()
    return handler(request)
  }

  /** Loads them now. @throws CatalogueError with a user-facing message when MODEL_CATALOGUE has mistakes. */
  open(): Promise<HttpHandler> {
    this.#opened ??= import('./json/json-routes.ts')
      .then(({ openJsonProtocols }) => openJsonProtocols(this.#parts))
      .catch((error: unknown) => {
        // A file that could not be read may be readable next time.
        this.#opened = undefined
        throw error
      })
    return this.#opened
  }

  /** Call it when no request is running. */
  async close(): Promise<void> {
    for (const close of this.#closers) await close()
  }
}

interface SharesWiring {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly cached: Pick<CachedState, 'keys'>
  readonly s3: KeyHandler
  readonly drive: Drive
  /** The folder of the web build. */
  readonly folder: string
  /** The database's time. */
  readonly now: () => number
}

/** Serves visitors of shares. */
export function openShares(wiring: SharesWiring): HttpHandler {
  const { settings, log, database, sessions, cached, s3, folder, now } = wiring
  const { accessKey, secretKey, publicUrl, trustProxy } = settings
  const originOf = originBehind(trustProxy)
  return createShareHandler({
    table: new ShareTable(database),
    makers: new MakerAccess({
      keys: cached.keys,
      ownerKey: accessKey,
      s3,
    }),
    thumbnails: new ThumbnailTable(database),
    drive: wiring.drive,
    archives: new ArchiveSlots(),
    cookies: new ShareCookies(createSealer(secretKey, 'shares'), now),
    attempts: sessions,
    clientAddress: clientOf(settings),
    originOf: (request) => publicUrl ?? originOf(request),
    // Our own form sends `null`, because Referrer-Policy hides the token (Fetch, "append a request `Origin` header").
    isFromOtherOrigin: (request) =>
      (request.headers.origin !== 'null' || request.headers['sec-fetch-site'] !== undefined) &&
      isFromOtherOrigin(request, [publicUrl, originOf(request)]),
    ...{ folder, now },
    onFailure: (error, requestId) => log.error({ requestId, err: error }, 'a share failed'),
  })
}

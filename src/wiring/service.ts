import { join } from 'node:path'
import type { BucketMaker } from '../buckets/bucket-maker.ts'
import { deletionKeptMs, deletionLimits } from '../console/management/deletions.ts'
import { createWebApp } from '../console/web-app/web-app.ts'
import type { Drive } from '../drives/drive.ts'
import type { DriveNotes } from '../drives/drive-notes.ts'
import type { Mount } from '../drives/several/mount.ts'
import type { HttpHandler } from '../http/message.ts'
import { packageFolder } from '../package-folder.ts'
import type { ProcessName } from '../process/identity.ts'
import type { S3Service } from '../s3/context.ts'
import { createS3Handler } from '../s3/handler.ts'
import { Uploads } from '../s3/multipart/uploads.ts'
import type { Database } from '../state/database.ts'
import type { DatabaseClock } from '../state/database-clock.ts'
import type { KeyValueStore } from '../state/key-value/key-value.ts'
import { openKeyValueStore } from '../state/key-value/open-key-value.ts'
import { AccessKeyTable, revokedKeptMs } from '../state/stores/access-keys.ts'
import { DeletionTable } from '../state/stores/deletions.ts'
import { GatewayTable } from '../state/stores/gateways.ts'
import { UploadTable } from '../state/stores/uploads.ts'
import { openBucketExpiry } from './bucket-expiry.ts'
import { openBucketMaker } from './bucket-making.ts'
import { openBucketUsage } from './bucket-usage.ts'
import { FoundBuckets } from './drive/found-buckets.ts'
import { type OpenDrives, openDrives } from './drive/open-drives.ts'
import type { ServiceRole } from './drive/open-owner.ts'
import { FailureWatch } from './failure-watch.ts'
import type { GatewayRegister } from './fleet/gateway-register.ts'
import { KnownGateways } from './fleet/known-gateways.ts'
import { openRegister } from './fleet/open-register.ts'
import { createGateway } from './gateway.ts'
import { LazyJson } from './json/lazy-json.ts'
import type { Log } from './log.ts'
import { publicMetrics } from './metrics/metrics-handler.ts'
import { hasMetrics, ProcessMetrics } from './metrics/process-metrics.ts'
import type { Scrape } from './metrics/scraper.ts'
import { createHealthHandler } from './probes/health.ts'
import { namedChecks } from './probes/named-drives.ts'
import { liveness, Readiness } from './probes/readiness.ts'
import { applyAccessKeys, openRegistries, type Registries } from './registries.ts'
import { reset } from './reset.ts'
import { openServiceDatabase } from './service-database.ts'
import type { Settings } from './settings/read-settings.ts'
import { startClock } from './start-clock.ts'
import { openTracing } from './tracing/open-tracing.ts'
import type { Tracing } from './tracing/tracing.ts'

/** Created by scripts/build.ts. */
const webBuild = join(packageFolder, 'web/dist')

/** Everything behind the port, opened and connected. */
export interface Service extends ConnectedService {
  /** For a primary process, when one of its workers has died: the other gateways take over what it held. */
  processDied(name: ProcessName): void
  /** For a primary process: see Registries. */
  readonly onCheck: Registries['onCheck']
  /** For a worker: see Registries. */
  readonly take: Registries['take']
}

export interface ConnectedService {
  /**
   * Returns the handler of all requests, for a process that serves. Without `scrape`, it has no
   * metrics.
   * @throws CatalogueError, for people, when MODEL_CATALOGUE has mistakes.
   */
  connect(scrape?: Scrape): Promise<HttpHandler>
  /** Absent if metrics are off. */
  readonly metrics: ProcessMetrics | undefined
  /** Present if traces are sent. Its `handler` is around that of `connect`. */
  readonly tracing: Pick<Tracing, 'onFinish'> | undefined
  /** Records failed requests; call it with every outcome. */
  readonly failures: Pick<FailureWatch, 'onFinish' | 'onRefuse'>
  /** From now on `/-/readyz` is not ready. Requests are served as before. */
  beginStop(): void
  /** Removes expired data and leftovers of crashes. One process calls it periodically. */
  sweep(signal: AbortSignal): Promise<void>
  /** Removes what lifecycle rules expire. One process calls it every few seconds. */
  expire(signal: AbortSignal): Promise<void>
  /** Removes all objects and open uploads, for tests of other programs. */
  reset(): Promise<void>
  /** Call it when no request is running. */
  close(): Promise<void>
}

export interface ServiceParts {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
  /** Each drive that `drive` stands for. Default: only itself. */
  readonly mounts?: readonly Mount[]
  /** Of the drive; absent if it has none. */
  readonly notes?: DriveNotes | undefined
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly registries: Registries
  /** Whether this gateway sweeps for all of its database. Default: it does. */
  readonly isFirst?: () => boolean
  /** The database's time, for leases; see DatabaseClock. */
  readonly now: () => number
  readonly metrics?: ProcessMetrics | undefined
  /** Around the database and the drive already. */
  readonly tracing?: Tracing | undefined
}

/**
 * Opens what the settings name.
 *
 * @throws DatabaseError, DriveError or SettingsError, for people, when a part can't be opened.
 */
export async function openService(
  settings: Settings,
  log: Log,
  role: ServiceRole,
): Promise<Service> {
  const tracing = await openTracing(settings, log)
  const metrics = hasMetrics(settings) ? new ProcessMetrics() : undefined
  const opened = await openServiceDatabase(settings, log, role)
  const timed = metrics?.watchDatabase(opened) ?? opened
  const database = tracing?.database(timed) ?? timed
  const clock = await startClock(database, log)
  const { now } = clock
  const sessions = await openKeyValueStore({
    url: settings.authKv,
    database,
    now,
    onState: (problem) => logStore(log, problem),
  })
  const watch = (one: Drive, name: string) => {
    const watched = metrics?.watchDrive(one, name) ?? one
    return tracing?.drive(watched, name) ?? watched
  }
  const gateways = new KnownGateways(new GatewayTable(database))
  const claimed = new Map<string, string>()
  let drives: OpenDrives | undefined
  const register =
    role.kind === 'primary'
      ? openRegister({
          ...{ settings, database, log, now, known: gateways, drives: claimed },
          onConflict: role.onDriveLost,
          onEnded: () => void (drives && sweepDrive(drives, log)),
        })
      : undefined
  // Before a gateway with other keys could change what the database has.
  await register?.start()
  try {
    const found = new FoundBuckets({ role, database, log })
    drives = await openDrives({
      ...{ settings, log, database, role, now, watch, found, claimed },
      gateways: () => gateways.running,
    })
    if (role.kind === 'primary') await applyAccessKeys({ settings, database, log, now })
    const { observe: onTime } = clock
    const isTold = role.kind === 'worker'
    const shared = { settings, database, log, gateways, now, onTime, isTold }
    const registries = await openRegistries(shared)
    await register?.begin()
    const { drive, mounts } = drives
    const { notes } = found
    const opening = { settings, log, database, drive, mounts, notes, sessions, now }
    const isFirst = () => register?.isFirst ?? false
    const parts = { ...opening, metrics, tracing, registries, isFirst }
    return closing(connectService(parts), { ...parts, register, drives, clock })
  } catch (error) {
    await drives?.close().catch(() => undefined)
    await register?.withdraw()
    throw error
  }
}

interface OpenParts extends ServiceParts {
  readonly register: GatewayRegister | undefined
  readonly drives: OpenDrives
  readonly clock: DatabaseClock
}

/** The service. Its `close` also closes these parts. */
function closing(
  service: ConnectedService,
  { registries, register, drives, clock, sessions, database, metrics, tracing }: OpenParts,
): Service {
  return {
    ...service,
    processDied: (name) => register?.processDied(name),
    onCheck: registries.onCheck,
    take: registries.take,
    async close() {
      await service.close()
      await registries.close()
      await register?.close()
      await drives.close()
      clock.stop()
      await sessions.close()
      await database.close()
      metrics?.close()
      await tracing?.close()
    },
  }
}

/** Soon after another gateway has ended. */
async function sweepDrive({ drive }: { readonly drive: Drive }, log: Log): Promise<void> {
  try {
    await drive.sweep?.()
  } catch (error) {
    log.warn({ err: error }, 'could not remove what another gateway has left; will retry')
  }
}

/** Connects parts that are open. Closing it ends its own work and leaves them open. */
export function connectService(parts: ServiceParts): ConnectedService {
  const { settings, log, database, drive, sessions, metrics, tracing } = parts
  const { mounts = [{ name: '', drive, isReadOnly: false }] } = parts
  metrics?.watchMounts(mounts)
  const uploads = openUploads(parts)
  metrics?.watchUploads(uploads)
  const { keyAdmin, buckets, bucketOptions } = parts.registries
  const bucketUsage = openBucketUsage({ ...parts, uploads })
  const bucketMaker = openBucketMaker({ ...parts, uploads })
  const s3 = openS3({ ...parts, uploads, bucketMaker, usage: bucketUsage.usage })
  const { health, readiness } = openProbes({ drive, mounts, database, log })
  const failures = new FailureWatch({ settings, database, buckets })
  const deletions = new DeletionTable(database, deletionLimits)
  const accessKeys = new AccessKeyTable(database)
  const managed = { buckets, bucketOptions, bucketMaker, keyAdmin }
  const json = new LazyJson({ ...parts, mounts, uploads, failures, ...managed })
  const web = createWebApp({ folder: webBuild })
  return {
    ...{ failures, metrics, tracing },
    async connect(scrape) {
      // Report mistakes in the user's own catalogue at start.
      if (settings.modelCatalogue !== undefined) await json.open()
      const gateway = createGateway({
        ...{ s3, health, liveness, readiness: readiness.handler, json: json.handler, web },
        metrics: publicMetrics({
          ...{ scrape, token: settings.metricsToken },
          onFailure: (error) => log.error({ err: error }, 'a scrape failed'),
        }),
        buckets,
      })
      return tracing?.handler(gateway) ?? gateway
    },
    beginStop: () => readiness.beginStop(),
    async sweep(signal) {
      if (parts.isFirst?.() === false) return
      await drive.sweep?.()
      await uploads.sweep(signal)
      await bucketMaker.sweep()
      await sessions.sweep()
      await deletions.sweep(parts.now() - deletionKeptMs)
      await accessKeys.sweep(parts.now() - revokedKeptMs)
    },
    expire: openBucketExpiry({ ...parts, uploads }),
    reset: () => reset({ drive, uploads, buckets }),
    async close() {
      await bucketUsage.close()
      await json.close()
      await failures.close()
      await uploads.idle()
    },
  }
}

interface S3Parts extends ServiceParts {
  readonly uploads: Uploads
  readonly bucketMaker: BucketMaker
  readonly usage: S3Service['usage']
}

function openS3(parts: S3Parts): HttpHandler {
  const { settings, registries, drive, uploads, bucketMaker, usage, log } = parts
  const { bucketCreation } = settings
  const { keys, buckets, bucketOptions } = registries
  return createS3Handler({
    ...{ settings, keys, buckets, registries, usage, bucketCreation, drive, uploads, log },
    now: Date.now,
    ...(bucketCreation === 'on' && { bucketOptions, bucketMaker }),
  })
}

function openUploads({ settings, log, database, drive, now }: ServiceParts): Uploads {
  return new Uploads({
    ...{ drive, now, log },
    table: new UploadTable(database),
    partWaitMs: settings.partWaitSeconds * 1_000,
    expiryMs: settings.uploadExpiryHours * 3_600_000,
  })
}

/** The probes. Only the default drive counts: a restart can't help another one. */
function openProbes({
  drive,
  mounts,
  database,
  log,
}: Required<Pick<ServiceParts, 'drive' | 'mounts' | 'database' | 'log'>>) {
  const health = createHealthHandler({
    checks: { drive: () => drive.check(), database: () => database.check() },
    drives: namedChecks(mounts),
    onFailure: (part, error) => log.error({ part, err: error }, 'health check failed'),
  })
  const readiness = new Readiness({
    ...{ drive, database, mounts },
    onFailure: (part, error) => log.error({ part, err: error }, 'readiness check failed'),
  })
  return { health, readiness }
}

function logStore(log: Log, problem: Error | undefined): void {
  if (problem === undefined) log.info('AUTH_KV is responding again')
  else log.warn({ err: problem }, 'AUTH_KV is not responding')
}

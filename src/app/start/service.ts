import { TrafficTable } from '../../dashboard/management/traffic-table.ts'
import { endedSharesKeptMs, ShareTable } from '../../dashboard/shares/share-table.ts'
import { ModelRecordTable } from '../../models/usage/model-record-table.ts'
import { ModelUsageTable, usageKeptMs } from '../../models/usage/usage-table.ts'
import type { HttpHandler } from '../../platform/http/message.ts'
import type { ProcessName } from '../../platform/process/identity.ts'
import type { Database } from '../../platform/state/database.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import { AccessKeyTable, revokedKeptMs } from '../../storage/access/access-key-table.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { DriveNotes } from '../../storage/drives/drive-notes.ts'
import { isSwept, type Mount } from '../../storage/drives/route/mount.ts'
import { expiryContext, withEventContext } from '../../storage/events/event-context.ts'
import { compatibilityOf } from '../../storage/s3/compatibility.ts'
import { GatewayTable } from '../fleet/gateway-table.ts'
import { KnownGateways } from '../fleet/known-gateways.ts'
import type { ServiceRole } from '../fleet/open-owner.ts'
import { createGateway } from '../gateway/gateway.ts'
import { createHealthHandler, namedChecks } from '../gateway/health.ts'
import { liveness, Readiness } from '../gateway/readiness.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'
import { publicMetrics } from '../telemetry/metrics/metrics-handler.ts'
import type { ProcessMetrics } from '../telemetry/metrics/process-metrics.ts'
import type { Scrape } from '../telemetry/metrics/scraper.ts'
import type { RequestSink, RequestSpans } from '../telemetry/requests.ts'
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts'
import { TrafficWatch } from '../telemetry/traffic-watch.ts'
import {
  applyAccessKeys,
  type CachedState,
  openBucketOptions,
  openCachedState,
} from './cached-state.ts'
import { makeDefaultBuckets } from './default-buckets.ts'
import { openConsole, openShares, webBuild } from './open-dashboard.ts'
import { openDrives } from './open-drives.ts'
import { openEvents } from './open-events.ts'
import { type OpenS3, openS3 } from './open-s3.ts'
import { openState } from './open-state.ts'
import type { Chore } from './processes/chores.ts'
import { reset } from './reset.ts'

/** Everything behind the port, opened and connected. */
export interface Service extends ConnectedService {
  /** For a primary process whose worker has died: the other gateways take over the worker's locks and leases. */
  processDied(name: ProcessName): void
  /** For a primary process: see CachedState. */
  readonly onCheck: CachedState['onCheck']
  /** For a worker: see CachedState. */
  readonly take: CachedState['take']
  /** Reads what another process of the gateway has changed. */
  readonly lookAgain: CachedState['lookAgain']
}

export interface ConnectedService {
  /**
   * Returns the handler of all requests, for a process that serves. Without `scrape`, it has no
   * metrics.
   * @throws CatalogueError with a user-facing message when MODEL_CATALOGUE has mistakes.
   */
  connect(scrape?: Scrape): Promise<HttpHandler>
  /** Absent if metrics are off. */
  readonly metrics: ProcessMetrics | undefined
  /** Starts the spans of requests, if traces are sent. */
  readonly requestSpans: RequestSpans | undefined
  /** Each receives the record of every request. */
  readonly requestSinks: readonly RequestSink[]
  /** Creates those of DEFAULT_BUCKETS that do not exist. @throws DriveError, DatabaseError */
  makeDefaultBuckets(): Promise<void>
  /** From now on `/-/readyz` is not ready. Requests are served as before. */
  beginStop(): void
  /** Remove expired data and leftovers of crashes. One process repeats them. */
  readonly chores: readonly Chore[]
  /** Removes all objects and open uploads, for tests of other programs. */
  reset(): Promise<void>
  /** Call it when no request is running. */
  close(): Promise<void>
}

/**
 * Opens the database, the drives and the other parts that the settings name.
 *
 * @throws DatabaseError, DriveError or SettingsError with a user-facing message when a part can't be opened.
 */
export async function openService(
  settings: Settings,
  log: Log,
  role: ServiceRole,
): Promise<Service> {
  const telemetry = await openTelemetry(settings, log)
  const state = await openState({ settings, log, role, telemetry })
  const { database, sessions, now, onTime } = state
  const gateways = new KnownGateways(new GatewayTable(database))
  const common = { settings, log, database, now }
  const traffic = new TrafficWatch(common)
  // Only the dashboard shows the traffic.
  const shown = settings.dashboardPassword === undefined ? undefined : traffic
  const spread = role.kind === 'worker' ? role.spread : undefined
  const buckets = openBucketOptions({ ...common, gateways, spread })
  // A drive that does not know the versioning of its buckets would not keep what it overwrites.
  await buckets.versioning.load()
  const drives = await openDrives({
    ...{ ...common, versioning: buckets.versioning },
    telemetry: { ...telemetry, traffic: shown },
    role,
    gateways,
  })
  try {
    if (role.kind === 'primary') await applyAccessKeys(common)
    const isTold = role.kind === 'worker'
    const cached = await openCachedState({ ...common, gateways, onTime, isTold, buckets, spread })
    await drives.begin()
    database.beginServing?.()
    const isSender = role.kind === 'primary'
    const service = connectService({
      ...{ ...common, ...drives, ...telemetry, traffic },
      ...{ sessions, cached, isSender },
    })
    return {
      ...service,
      processDied: drives.processDied,
      onCheck: cached.onCheck,
      take: cached.take,
      lookAgain: cached.lookAgain,
      async close() {
        await service.close()
        await cached.close()
        await drives.close()
        await state.close()
        telemetry.metrics?.close()
        await telemetry.tracing?.close()
      },
    }
  } catch (error) {
    await drives.withdraw()
    throw error
  }
}

export interface ServiceParts extends Telemetry {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
  /** Each drive that `drive` stands for. Default: only itself. */
  readonly mounts?: readonly Mount[]
  /** The drive's own list of buckets; absent if it has none. */
  readonly notes?: DriveNotes | undefined
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly cached: CachedState
  /** Whether this gateway sweeps for all gateways of its database. Default: it does. */
  readonly isFirst?: () => boolean
  /** Whether this process sends events. Default: it does. */
  readonly isSender?: boolean
  /** The database's time, for leases; see DatabaseClock. */
  readonly now: () => number
  /** Default: one that does not watch the drive. */
  readonly traffic?: TrafficWatch
}

/** Connects parts that are open. Closing it ends its own work and leaves them open. */
export function connectService({
  settings,
  log,
  database,
  drive: plainDrive,
  mounts = [{ name: '', drive: plainDrive, isReadOnly: false }],
  notes,
  sessions,
  cached,
  isFirst = () => true,
  isSender = true,
  now,
  metrics,
  tracing,
  traffic = new TrafficWatch({ database, now, log }),
}: ServiceParts): ConnectedService {
  metrics?.watchMounts(mounts)
  const common = { settings, log, database, cached, now }
  const events = openEvents({ ...common, drive: plainDrive, isSender, metrics })
  const drive = events?.drive ?? plainDrive
  const s3 = openS3({ ...common, drive, notes, sessions })
  const { uploads, bucketMaker, jobs } = s3
  metrics?.watchUploads(uploads)
  const { keys, keyAdmin, modelKeys, buckets, bucketOptions, versioning } = cached
  const managed = { buckets, bucketOptions, versioning, keys, bucketMaker, keyAdmin, uploads, jobs }
  const called = { modelKeys, metrics, traffic }
  const web = openConsole({
    ...{ settings, log, database, drive, mounts, sessions, now },
    ...{ ...managed, ...called },
  })
  const { health, readiness } = openProbes({ drive, mounts, database, log })
  return {
    metrics,
    requestSpans: tracing?.requests,
    requestSinks: [
      web.activity,
      ...(settings.dashboardPassword === undefined ? [] : [traffic]),
      ...(metrics === undefined ? [] : [metrics.requests]),
    ],
    async connect(scrape) {
      await web.checkCatalogue()
      return createGateway({
        ...{ s3: s3.handler, health, liveness, readiness: readiness.handler },
        websites: s3.websites,
        ...{ json: web.json, web: web.web, buckets },
        shares: openShares({ ...common, drive, sessions, s3: s3.byKey, folder: webBuild }),
        compatibility: compatibilityOf[settings.compatibility],
        virtualHosts: settings,
        metrics: publicMetrics({
          ...{ scrape, token: settings.metricsToken },
          onFailure: (error) => log.error({ err: error }, 'a scrape failed'),
        }),
      })
    },
    makeDefaultBuckets: () => makeDefaultBuckets(settings, bucketMaker, log),
    beginStop: () => readiness.beginStop(),
    chores: choresOf({ ...common, mounts, s3, sessions, isFirst }),
    reset: () => reset({ drive, mounts, uploads, buckets }),
    async close() {
      await web.close()
      await traffic.close()
      await s3.close()
      await events?.close()
    },
  }
}

const sweepEveryMs = 5 * 60_000
/** Short, because a run reads only memory unless a bucket has lifecycle rules. */
const expireEveryMs = 5_000
const trashEveryMs = 60 * 60_000
/** Jobs of dead processes wait so long if nobody looks at them. */
const resumeEveryMs = 10_000

type ChoreParts = Required<
  Pick<ServiceParts, 'database' | 'mounts' | 'sessions' | 'isFirst' | 'now'>
> & { readonly s3: Pick<OpenS3, 'uploads' | 'bucketMaker' | 'jobs' | 'noteLockTime'> }

/** The sweeps, which only the first gateway of the database runs, and the expiry, which every gateway runs. */
function choresOf({ database, mounts, sessions, isFirst, now, s3 }: ChoreParts): readonly Chore[] {
  const { uploads, bucketMaker, jobs } = s3
  const sweep = (name: string, work: Chore['run'], drive?: string): Chore => {
    const run: Chore['run'] = (signal) => (isFirst() ? work(signal) : undefined)
    return { name, everyMs: sweepEveryMs, run, drive }
  }
  const sweepMount = (mount: Mount) =>
    sweep('drive', () => (isSwept(mount) ? mount.drive.sweep?.() : undefined), mount.name)
  const expiry = (name: string, everyMs: number, work: Chore['run']): Chore => {
    return { name, everyMs, run: (signal) => withEventContext(expiryContext, () => work(signal)) }
  }
  return [
    ...mounts.map(sweepMount),
    sweep('uploads', (signal) => uploads.sweep(signal)),
    sweep('buckets', () => bucketMaker.sweep()),
    sweep('jobs', () => jobs.sweep()),
    sweep('lock-clock', () => s3.noteLockTime()),
    sweep('sessions', () => sessions.sweep()),
    sweep('access-keys', () => new AccessKeyTable(database).sweep(now() - revokedKeptMs)),
    sweep('model-usage', () => new ModelUsageTable(database).sweep(now() - usageKeptMs)),
    sweep('model-records', () => new ModelRecordTable(database).sweep(now())),
    sweep('shares', () => new ShareTable(database).sweep(now() - endedSharesKeptMs)),
    sweep('traffic', () => new TrafficTable(database).sweep(now())),
    { name: 'file-jobs', everyMs: resumeEveryMs, run: () => jobs.fileJobs.resume() },
    expiry('expiry', expireEveryMs, jobs.expire),
    expiry('trash', trashEveryMs, jobs.expireTrash),
  ]
}

/** The probes. Only the default drive affects their status: a restart can't help the others. */
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

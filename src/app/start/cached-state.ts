import { setTimeout as sleep } from 'node:timers/promises'
import { ModelKeyTable } from '../../models/keys/model-key-table.ts'
import { StoredModelKeys } from '../../models/keys/model-keys.ts'
import type { Database } from '../../platform/state/database.ts'
import { type OnTime, Revisions } from '../../platform/state/revision-table.ts'
import { RevisionWatch } from '../../platform/state/revision-watch.ts'
import { createSealer } from '../../platform/state/sealer.ts'
import { AccessKeyTable } from '../../storage/access/access-key-table.ts'
import { OwnerKey, StoredKeys } from '../../storage/access/access-keys.ts'
import { unknownBuckets } from '../../storage/access/authorize.ts'
import { applyDeclaredKeys } from '../../storage/access/declared-keys.ts'
import { KeyAdmin } from '../../storage/access/key-admin.ts'
import { BucketOptionsTable } from '../../storage/buckets/bucket-option-table.ts'
import type { BucketOptionsWriter } from '../../storage/buckets/bucket-options.ts'
import { BucketVersioning, type VersionedPlaces } from '../../storage/buckets/bucket-versioning.ts'
import { type Buckets, ConfiguredBuckets, ServedBuckets } from '../../storage/buckets/buckets.ts'
import { MadeBucketTable } from '../../storage/buckets/made-bucket-table.ts'
import {
  BucketsWithOptions,
  StoredBucketOptions,
} from '../../storage/buckets/stored-bucket-options.ts'
import { compatibilityOf } from '../../storage/s3/compatibility.ts'
import { keepsDocuments } from '../../storage/s3/configuration/public-access.ts'
import type { KnownGateways } from '../fleet/known-gateways.ts'
import { isBucketName } from '../settings/parse-names.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'
import type { TimedCheck } from './processes/worker-messages.ts'

/** Copies of database rows that every process keeps in memory, and that follow changes of the rows. */
export interface CachedState {
  readonly keys: StoredKeys
  readonly keyAdmin: KeyAdmin
  /** Keys of clients that call models. */
  readonly modelKeys: StoredModelKeys
  readonly buckets: Buckets
  readonly bucketOptions: BucketOptionsWriter
  readonly versioning: BucketVersioning
  /** The buckets of the settings. */
  readonly configured: Buckets
  /** Applies changes that this process has made, in all processes of the gateway. @throws DatabaseError */
  refresh(): Promise<void>
  /** Updates old copies before a request uses them. Undefined if they are current, or can't be checked. */
  ensureFresh(): Promise<void> | undefined
  /** Checks again, for changes of other processes, such as for a request with an unknown bucket. Never rejects. */
  lookAgain(): Promise<void>
  /** Calls back when another process may have created or removed buckets. */
  onBuckets(listener: () => void): void
  /**
   * Resolves when the copies are at most a second old, for work that removes something.
   * @throws DatabaseError
   */
  ensureCurrent(): Promise<void>
  /** Calls back with each reply of the database to this process. */
  onCheck(listener: (check: TimedCheck) => void): void
  /** Uses a reply that the primary process received. */
  take(check: TimedCheck): void
  close(): Promise<void>
}

/** Maximum age of the copies for work that removes something. A worker then asks the database itself. */
const maxAgeMs = 1_000

/** After this time, every process has read a change, or gets no reply from the database (RevisionWatch). */
const spreadMs = 2_000

/** How long a change takes to be stored, unless the database is very slow. */
const storingMs = 200

/** Maximum time that a request waits for a hanging database. */
const maxWaitMs = 1_000

/** Stores ACCESS_KEYS: in the primary process, before the copies are opened. @throws DeclaredKeyError, DatabaseError */
export async function applyAccessKeys({
  settings,
  database,
  log,
  now,
}: Pick<CachedStateParts, 'settings' | 'database' | 'log' | 'now'>): Promise<void> {
  await applyDeclaredKeys(settings.accessKeys, {
    table: new AccessKeyTable(database),
    sealer: createSealer(settings.secretKey, 'accessKeys'),
    now,
  })
  if (settings.accessKeys.length === 0) return
  const names = await bucketNames(settings, database)
  for (const { accessKeyId, grants } of settings.accessKeys) {
    const buckets = unknownBuckets(grants, (bucket) => names.has(bucket))
    if (buckets.length === 0) continue
    log.warn(
      { accessKeyId, buckets },
      'an access key of ACCESS_KEYS has grants for unknown buckets',
    )
  }
}

interface CachedStateParts {
  readonly settings: Settings
  readonly database: Database
  readonly log: Log
  readonly gateways: KnownGateways
  /** The database's time: all gateways agree on whether a key has expired. */
  readonly now: () => number
  /** DatabaseClock.observe: the clock is measured every second, without a statement of its own. */
  readonly onTime?: OnTime
  /** Whether the primary process sends its checks to this one. */
  readonly isTold?: boolean
  /** Resolves when the other processes of this gateway have read a change. */
  readonly spread?: (() => Promise<void>) | undefined
  /** As the drives of this process use them. Default: opened here. */
  readonly buckets?: OpenBucketOptions
}

/** The options of buckets, which drives need before all other copies are loaded. */
export interface OpenBucketOptions {
  readonly bucketOptions: StoredBucketOptions
  readonly versioning: BucketVersioning
}

/** Opens the options of buckets without loading them (`BucketVersioning.load`). */
export function openBucketOptions({
  settings,
  database,
  gateways,
  now,
  spread,
}: Pick<CachedStateParts, 'settings' | 'database' | 'now' | 'spread'> &
  Partial<Pick<CachedStateParts, 'gateways'>>): OpenBucketOptions {
  const table = new BucketOptionsTable(database)
  const hasDocuments = keepsDocuments(compatibilityOf[settings.compatibility])
  const bucketOptions = new StoredBucketOptions({ table, hasDocuments, onChange: spread })
  const versioning = new BucketVersioning({
    ...{ table, options: bucketOptions, now, places: placesOf(settings) },
    leases: new MadeBucketTable(database).leases,
    leadMs: () =>
      settings.workers === 1 && gateways?.running === 1 ? storingMs : storingMs + spreadMs,
    wait: (ms) => sleep(ms),
  })
  return { bucketOptions, versioning }
}

function placesOf({ bucketPlaces }: Settings): VersionedPlaces {
  const byBucket = new Map(bucketPlaces.map((place) => [place.bucket, place]))
  // Not by a joined text: joining it for each read would take longer than two lookups.
  const byDrive = new Map(
    [...Map.groupBy(bucketPlaces, ({ drive }) => drive)].map(([drive, places]) => [
      drive,
      new Map(places.map(({ folder, bucket }) => [folder, bucket])),
    ]),
  )
  return {
    placeOf: (bucket) => byBucket.get(bucket) ?? { drive: '', folder: bucket },
    bucketAt(drive, folder) {
      const isMade = drive === '' && !byBucket.has(folder)
      return byDrive.get(drive)?.get(folder) ?? (isMade ? folder : undefined)
    },
  }
}

/** Loads access keys and buckets, and begins to watch them. @throws DatabaseError */
export async function openCachedState(parts: CachedStateParts): Promise<CachedState> {
  const { settings, database, log, gateways, now } = parts
  const { watch, onCheck, take } = createWatch(parts)
  const refresh = async () => {
    await watch.check()
    await parts.spread?.()
  }
  const table = new AccessKeyTable(database)
  const sealer = createSealer(settings.secretKey, 'accessKeys')
  const owner = new OwnerKey(settings)
  const keys = new StoredKeys({ owner, table, watch, sealer, now, log })
  const keyAdmin = new KeyAdmin({
    ...{ table, sealer, isBucketName, now },
    ownerKeyId: settings.accessKey,
    onChange: refresh,
  })
  const modelKeys = new StoredModelKeys({ table: new ModelKeyTable(database), watch, refresh })
  const { bucketOptions, versioning } = parts.buckets ?? openBucketOptions(parts)
  const configured = new ConfiguredBuckets(settings)
  const made = new MadeBucketTable(database)
  const served = new ServedBuckets(configured, () => made.all())
  let onBuckets: () => void = () => undefined
  await watch.start({
    'access-keys': keys.reload,
    gateways: gateways.reload,
    'model-keys': modelKeys.reload,
    async buckets() {
      await bucketOptions.reload()
      await served.reload()
      onBuckets()
    },
  })
  return {
    ...{ keys, keyAdmin, modelKeys, bucketOptions, versioning, configured, onCheck, take },
    buckets: new BucketsWithOptions(served, bucketOptions),
    refresh,
    ensureFresh() {
      // Most gateways have only the keys and buckets of the settings: they never wait for the database.
      if (watch.isFailing || (served.isEmpty && bucketOptions.isEmpty)) return undefined
      const checking = watch.ensureFresh()
      return checking && Promise.race([checking, timeLimit(maxWaitMs)])
    },
    async lookAgain() {
      if (watch.isFailing) return
      await Promise.race([watch.check().catch(() => undefined), timeLimit(maxWaitMs)])
    },
    onBuckets(listener) {
      onBuckets = listener
    },
    async ensureCurrent() {
      if (watch.ageMs > maxAgeMs) await watch.check()
    },
    async close() {
      watch.stop()
      await keys.flushUses()
    },
  }
}

function createWatch({
  database,
  log,
  gateways,
  onTime = () => undefined,
  isTold = false,
}: CachedStateParts) {
  let time: TimedCheck['time']
  let listener: (check: TimedCheck) => void = () => undefined
  const revisions = new Revisions(database, (...measured) => {
    time = measured
    onTime(...measured)
  })
  const watch = new RevisionWatch({
    revisions,
    ...(isTold && { everyMs: maxAgeMs }),
    onState: (problem) => logState(log, problem),
    onCurrent: gateways.confirm,
    onRead: (check) => listener({ ...check, time }),
  })
  return {
    watch,
    onCheck(added: typeof listener) {
      listener = added
    },
    take(check: TimedCheck) {
      if (check.time !== undefined) onTime(...check.time)
      watch.take(check)
    },
  }
}

async function timeLimit(ms: number): Promise<void> {
  await sleep(ms, undefined, { ref: false })
}

function logState(log: Log, problem: unknown): void {
  if (problem === undefined) log.info('changes of access keys and buckets take effect again')
  else
    log.warn(
      { err: problem },
      'the database is not responding: changes of access keys and buckets do not take effect',
    )
}

/** The existing buckets: those of the settings, and those made at run time. @throws DatabaseError */
export async function bucketNames(
  { allowedBuckets }: Pick<Settings, 'allowedBuckets'>,
  database: Database,
): Promise<ReadonlySet<string>> {
  const made = await new MadeBucketTable(database).all()
  return new Set([...allowedBuckets, ...made.map(({ bucket }) => bucket)])
}

import type { Database } from '../../platform/state/database.ts'
import { versioningOf } from '../../storage/buckets/bucket-options.ts'
import type { NotificationRule, TargetName } from '../../storage/buckets/notification-rules.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import { DatabaseLeases } from '../../storage/drives/kit/key-lease-table.ts'
import { KeyLeases } from '../../storage/drives/kit/key-leases.ts'
import { EventRecorder } from '../../storage/events/event-recorder.ts'
import { EventSender } from '../../storage/events/event-sender.ts'
import { EventTable } from '../../storage/events/event-table.ts'
import { type EventTarget, redisTarget, webhookTarget } from '../../storage/events/event-targets.ts'
import { IntentRecovery } from '../../storage/events/intent-recovery.ts'
import { watchedDrive } from '../../storage/events/watched-drive.ts'
import { owner } from '../../storage/s3/reply/xml.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'
import type { ProcessMetrics } from '../telemetry/metrics/process-metrics.ts'
import type { CachedState } from './cached-state.ts'

interface EventParts {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
  readonly cached: CachedState
  readonly now: () => number
  /** Whether this process sends; otherwise the primary does. */
  readonly isSender: boolean
  readonly metrics: ProcessMetrics | undefined
}

/** Event notifications. Undefined, and without cost, if there is no target. */
export function openEvents(parts: EventParts) {
  const { settings, log, database, drive, cached, now, isSender, metrics } = parts
  const names = eventTargets(settings)
  if (names.length === 0) return undefined
  const table = new EventTable(database)
  const counts = { sent: 0, failed: 0, lost: 0 }
  metrics?.watchEvents(table, counts)
  const leases = new KeyLeases({ table: new DatabaseLeases(database, '/events'), now })
  const common = { table, leases, now, log, random: Math.random }
  const onSent = () => {
    counts.sent += 1
  }
  const onFailed = () => {
    counts.failed += 1
  }
  const senders = (isSender ? openTargets(settings) : []).map(
    (target) => new EventSender(target, { ...common, onSent, onFailed }),
  )
  const onEvents = () => {
    for (const sender of senders) sender.poke()
  }
  const hasVersions = (bucket: string) => versioningOf(cached.buckets.find(bucket)) !== undefined
  const recoveries = (isSender ? names : []).map(
    (name) => new IntentRecovery(name, { ...common, drive, hasVersions, onEvent: onEvents }),
  )
  const { buckets } = cached
  let wasFull = false
  const recorder = new EventRecorder({
    ...{ table, now, ownerId: owner.ID },
    region: (bucket) => buckets.find(bucket)?.region ?? settings.region,
    rules: rulesOf(settings, cached, names),
    onEvents,
    onFull(isFull) {
      if (isFull) counts.lost += 1
      if (isFull && !wasFull)
        log.error('too many events are waiting: events of new changes are dropped')
      if (wasFull && !isFull) log.info('events of changes are stored again')
      wasFull = isFull
    },
  })
  return {
    drive: watchedDrive(drive, recorder, hasVersions),
    async close() {
      await Promise.all([...recoveries, ...senders].map((one) => one.close()))
      leases.close()
    },
  }
}

type TargetSettings = Pick<Settings, 'notifyWebhook' | 'notifyRedis'>

export function eventTargets({ notifyWebhook, notifyRedis }: TargetSettings): TargetName[] {
  return [
    ...(notifyWebhook === undefined ? [] : ['webhook' as const]),
    ...(notifyRedis === undefined ? [] : ['redis' as const]),
  ]
}

function openTargets(settings: Settings): EventTarget[] {
  const { notifyWebhook, notifyRedis, notifyRedisStream } = settings
  const { notifyWebhookSecret: secret, notifyWebhookToken: token } = settings
  return [
    ...(notifyWebhook === undefined ? [] : [webhookTarget(notifyWebhook, { secret, token })]),
    ...(notifyRedis === undefined ? [] : [redisTarget(notifyRedis, notifyRedisStream)]),
  ]
}

const allEvents = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:LifecycleExpiration:*']

/** The rules of the settings, then those that S3 clients configure: the last matching rule names the event. */
function rulesOf(
  settings: Settings,
  { buckets }: CachedState,
  names: readonly TargetName[],
): (bucket: string) => readonly NotificationRule[] {
  const fixed = settings.notifyObjects.flatMap(({ bucket, prefix, suffix }) =>
    names.map((target) => {
      return { bucket, id: 'settings', target, events: allEvents, prefix, suffix }
    }),
  )
  return (name) => {
    const ofBucket = fixed.filter(({ bucket }) => bucket === '*' || bucket === name)
    const kept = buckets.find(name)?.notification ?? []
    return [...ofBucket, ...kept.filter(({ target }) => names.includes(target))]
  }
}

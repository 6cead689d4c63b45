import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import type { ObjectMetadata } from '../../../../src/storage/drives/drive.ts'
import type { KeyLease, KeyLeases } from '../../../../src/storage/drives/kit/key-leases.ts'
import { eventMessage } from '../../../../src/storage/events/event-message.ts'
import { EventSender } from '../../../../src/storage/events/event-sender.ts'
import { type EventRow, EventTable } from '../../../../src/storage/events/event-table.ts'
import { RefusedEvent } from '../../../../src/storage/events/event-targets.ts'
import { IntentRecovery } from '../../../../src/storage/events/intent-recovery.ts'
import { until } from '../../../support/management-client.ts'
import { silentLog } from '../../../support/silent-log.ts'

const hourMs = 3_600_000
const nowMs = 10 * hourMs

function intent(
  key: string,
  etag: string | undefined,
  madeAtMs = nowMs - 20_000,
  size?: number,
): EventRow {
  const event = etag === undefined ? 'ObjectRemoved:Delete' : 'ObjectCreated:Put'
  const context = { principalId: '', sourceIp: '', requestId: '' }
  const facts = { context, region: 'r', ownerId: 'o', ruleId: 'i', atMs: madeAtMs, sequencer: key }
  const message = JSON.stringify(eventMessage({ bucket: 'b', key, event, etag, size }, facts))
  return {
    ...{ id: key, target: 'webhook', sequencer: key, message, madeAtMs },
    ...{ attempts: 0, dueAtMs: madeAtMs + 10_000 },
  }
}

/** The event of a change that is known to have happened. */
function event(key: string, more: Partial<EventRow> = {}): EventRow {
  return { ...intent(key, 'e'), dueAtMs: nowMs - 20_000, ...more }
}

interface World {
  readonly intents?: readonly EventRow[]
  readonly events?: readonly EventRow[]
  /** The ETag of each, 'fails' or 'hangs'. */
  readonly objects?: Readonly<Record<string, string>>
  /** Rejects for what the receiver does not accept. Default: it accepts everything. */
  readonly accept?: (key: string, etag: string) => Promise<void>
  readonly hasOwnEtags?: boolean
  /** Whether another process sends. */
  readonly isOther?: boolean
}

async function startSender(
  t: TestContext,
  { intents = [], events = [], objects = {}, accept, ...world }: World,
) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-events-'))
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  const table = new EventTable(database)
  await table.intend(intents)
  await table.confirm(events)
  const { isOther = false, hasOwnEtags = false } = world
  const sent: string[] = []
  const eTags = new Map<string, string>()
  const clock = { ms: nowMs, leases: 0 }
  const target = {
    ...{ name: 'webhook' as const, close: () => undefined },
    async send(message: string) {
      const { key, eTag } = JSON.parse(message).Records[0].s3.object
      await accept?.(key, eTag)
      sent.push(key)
      eTags.set(key, eTag)
    },
  }
  const leases: Pick<KeyLeases, 'holdIfFree'> = {
    async holdIfFree(_, work) {
      clock.leases += 1
      return isOther ? undefined : await work({ isHeld: true } as KeyLease)
    },
  }
  const looks = Promise.withResolvers<void>()
  const drive = {
    ownEtags: () => hasOwnEtags,
    async head(_: string, key: string) {
      const etag = objects[key]
      if (etag === 'fails') throw new Error('the drive is away')
      if (etag === 'hangs') await looks.promise
      return etag === undefined ? undefined : ({ size: 3, attributes: { etag } } as ObjectMetadata)
    },
  }
  const log = silentLog
  let draws = 0
  const random = () => {
    draws += 1
    return draws % 2
  }
  const calls = { onSent: () => undefined, onFailed: () => undefined, random }
  const parts = { table, leases, log, now: () => clock.ms, ...calls }
  const sender = new EventSender(target, parts)
  const onEvent = () => sender.poke()
  const recovery = new IntentRecovery('webhook', {
    ...{ ...parts, drive, onEvent, hasVersions: () => false },
  })
  t.after(async () => {
    looks.resolve()
    await recovery.close()
    await sender.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })
  return { sent, eTags, table, clock, sender }
}

test('an intent whose change has happened is sent; others wait, and are dropped after 10 minutes', async (t) => {
  const { sent, table } = await startSender(t, {
    intents: [
      ...[intent('written', 'e'), intent('removed', undefined), intent('other', 'e')],
      ...[intent('stays', undefined), intent('old', 'e', nowMs - 11 * 60_000)],
      intent('unknown', 'e', nowMs - 2 * hourMs),
    ],
    objects: { written: 'e', other: 'f', stays: 'e', unknown: 'fails' },
  })
  await until(() => sent.length >= 2)
  assert.deepEqual(sent.toSorted(), ['removed', 'written'])
  await until(async () => (await table.countWaiting(10)) === 3)
  const limits = { isConfirmed: false, nowMs: nowMs + hourMs, limit: 10 }
  const rest = (await table.due('webhook', limits)).map(({ id }) => id)
  assert.deepEqual(rest.toSorted(), ['other', 'stays', 'unknown'])
})

test('an object in parts shows its change by its size where the store makes its own ETag', async (t) => {
  const etag = `${'0'.repeat(32)}-2`
  const completed = (key: string, size: number) => intent(key, etag, undefined, size)
  const { sent, eTags } = await startSender(t, {
    intents: [
      completed('made', 3),
      completed('longer', 4),
      completed('other', 3),
      intent('put', 'e'),
    ],
    objects: { made: 'own', longer: 'own', other: `${'1'.repeat(32)}-2`, put: 'own' },
    hasOwnEtags: true,
    events: [event('last')],
  })
  await until(() => sent.length >= 2)
  assert.deepEqual(sent.toSorted(), ['last', 'made'])
  assert.equal(eTags.get('made'), 'own')
})

test('a drive that does not answer holds back no events of others', async (t) => {
  const { sent, table, sender } = await startSender(t, {
    intents: [intent('hangs', 'e')],
    objects: { hangs: 'hangs' },
  })
  await table.confirm([event('good')])
  sender.poke()
  await until(() => sent.length > 0)
  assert.deepEqual(sent, ['good'])
})

const many = Array.from({ length: 200 }, (_, index) => `bad${index}`)

test('events that the receiver refuses hold no others back, and are not a flood', async (t) => {
  const refusals = new Map<string, number>()
  const { sent, table, clock } = await startSender(t, {
    events: [...many, 'good'].map((key) => event(key)),
    async accept(key) {
      if (key === 'good') return
      refusals.set(key, (refusals.get(key) ?? 0) + 1)
      throw new RefusedEvent('no')
    },
  })
  // The clock stands still: without a pause for those before it.
  await until(() => sent.length > 0)
  await until(async () => (await table.countWaiting(1_000)) === many.length)
  assert.deepEqual([...new Set(refusals.values())], [1])
  clock.ms += 10_000
  await until(() => refusals.get('bad199') === 2)
})

test('what follows an event of its key that fails does not overtake it', async (t) => {
  const versions: string[] = []
  const of = (etag: string) => {
    const { message } = intent('k', etag)
    return event('k', { id: etag, sequencer: etag, message })
  }
  const { sent, clock } = await startSender(t, {
    events: [of('1'), of('2'), event('other', { sequencer: '3' })],
    async accept(key, etag) {
      if (key !== 'k') return
      versions.push(etag)
      if (versions.length === 1) throw new Error('busy')
    },
  })
  await until(() => sent.length === 1)
  assert.deepEqual(sent, ['other'])
  await until(() => {
    clock.ms += 100
    return sent.length === 3
  })
  assert.deepEqual(versions, ['1', '1', '2'])
})

test('a receiver that was away gets all events, also those of long ago', async (t) => {
  let attempts = 0
  const { sent } = await startSender(t, {
    // No process has run since.
    events: many.map((key) => event(key, { madeAtMs: nowMs - 72 * hourMs, attempts: 1 })),
    async accept() {
      attempts += 1
      if (attempts <= 64) throw new Error('away')
    },
  })
  await until(() => sent.length === many.length)
})

test('only the process that sends gives up old events, and those of other targets', async (t) => {
  const old = { madeAtMs: nowMs - 72 * hourMs, dueAtMs: nowMs + hourMs }
  const events = [event('tried', { ...old, attempts: 1 }), event('gone', { ...old, target: 'x' })]
  for (const isOther of [true, false]) {
    const { table, clock } = await startSender(t, { events, isOther })
    await until(() => clock.leases === 0)
    clock.ms += 60_000
    await until(() => clock.leases > 0)
    if (isOther) assert.equal(await table.countWaiting(10), 2)
    else await until(async () => (await table.counts(10)).dead === 2)
  }
})

test('a process that does not send is not woken by each change', async (t) => {
  const { sender, clock } = await startSender(t, { events: [event('k')], isOther: true })
  await until(() => clock.leases > 0)
  const before = clock.leases
  const startedAt = performance.now()
  await until(() => {
    for (let count = 0; count < 100; count += 1) sender.poke()
    return performance.now() > startedAt + 300
  })
  // It looks by itself once a second.
  const looks = 1 + (performance.now() - startedAt) / 1_000
  assert.ok(clock.leases - before <= looks)
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ObjectMetadata } from '../../../src/drives/drive.ts'
import type { KeyLease, KeyLeases } from '../../../src/drives/key-leases.ts'
import { eventMessage } from '../../../src/events/event-message.ts'
import { EventSender } from '../../../src/events/event-sender.ts'
import { openDatabase } from '../../../src/state/open-database.ts'
import { type EventRow, EventTable } from '../../../src/state/stores/events.ts'
import { until } from '../../support/management-client.ts'

const hourMs = 3_600_000
const nowMs = 10 * hourMs

function intent(key: string, etag: string | undefined, madeAtMs = nowMs - 20_000): EventRow {
  const event = etag === undefined ? 'ObjectRemoved:Delete' : 'ObjectCreated:Put'
  const occasion = { principalId: '', sourceIp: '', requestId: '' }
  const facts = { occasion, region: 'r', ownerId: 'o', ruleId: 'i', atMs: madeAtMs, sequencer: key }
  const message = JSON.stringify(eventMessage({ bucket: 'b', key, event, etag }, facts))
  return {
    ...{ id: key, target: 'webhook', sequencer: key, message, madeAtMs },
    ...{ attempts: 0, dueAtMs: madeAtMs + 10_000 },
  }
}

/** A sender on these intents, whose receiver accepts everything. */
async function startSender(t: TestContext, intents: EventRow[], objects: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-events-'))
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  const table = new EventTable(database)
  await table.intend(intents)
  const sent: string[] = []
  const target = {
    ...{ name: 'webhook' as const, close: () => undefined },
    async send(message: string) {
      sent.push(JSON.parse(message).Records[0].s3.object.key)
    },
  }
  const leases: Pick<KeyLeases, 'holdIfFree'> = {
    holdIfFree: (_, work) => work({ isHeld: true } as KeyLease),
  }
  const drive = {
    async head(_: string, key: string) {
      const etag = objects[key]
      if (etag === 'fails') throw new Error('the drive is away')
      return etag === undefined ? undefined : ({ size: 3, attributes: { etag } } as ObjectMetadata)
    },
  }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const calls = { onSent: () => undefined, onFailed: () => undefined, random: () => 0 }
  const sender = new EventSender(target, {
    ...{ table, leases, drive, log, now: () => nowMs, ...calls },
  })
  t.after(async () => {
    await sender.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })
  return { sent, table }
}

test('an intent whose change has happened is sent; others wait, and are dropped after an hour', async (t) => {
  const { sent, table } = await startSender(
    t,
    [
      ...[intent('written', 'e'), intent('removed', undefined), intent('other', 'e')],
      ...[intent('stays', undefined), intent('old', 'e', nowMs - 2 * hourMs)],
      intent('unknown', 'e', nowMs - 2 * hourMs),
    ],
    { written: 'e', other: 'f', stays: 'e', unknown: 'fails' },
  )
  await until(() => sent.length >= 2)
  assert.deepEqual(sent.toSorted(), ['removed', 'written'])
  await until(async () => (await table.counts(10)).waiting === 3)
  const limits = { isConfirmed: false, nowMs: nowMs + hourMs, limit: 10 }
  const rest = (await table.due('webhook', limits)).map(({ id }) => id)
  assert.deepEqual(rest.toSorted(), ['other', 'stays', 'unknown'])
})

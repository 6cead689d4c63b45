import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchedDrive } from '../../../../src/app/telemetry/telemetry.ts'
import { TrafficWatch } from '../../../../src/app/telemetry/traffic-watch.ts'
import { minuteMs, TrafficTable } from '../../../../src/dashboard/management/traffic-table.ts'
import type { Outcome } from '../../../../src/platform/http/exchange.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import {
  keysOf,
  openTestDatabase,
  put,
  until,
} from '../../dashboard/management/management-fixture.ts'
import { recordOf, requestOf } from '../start/request-of.ts'

const startMs = 1_700_000_040_000
const log = { warn: () => undefined }
const hour = { stepMs: minuteMs, steps: 60 }

const outcome = (status: number, logFields: Outcome['logFields'] = {}): Outcome => ({
  ...{ status, logFields, bytesReceived: 100, bytesSent: 1_000, durationMs: 1, isAborted: false },
})

test('Requests of clients are added up by the minute, those of two processes together', async (t) => {
  const database = await openTestDatabase(t)
  let nowMs = startMs
  const now = () => nowMs
  const [here, there] = [1, 2].map(() => new TrafficWatch({ database, now, log }))
  assert.ok(here !== undefined && there !== undefined)
  const get = requestOf('GET', '/files/a')
  for (const status of [200, 206, 404, 412, 403, 503])
    here.onRequest(recordOf(get, outcome(status)))
  there.onRequest(recordOf(get, outcome(500)))
  for (const target of ['/v1/chat/completions', '/ai/v1/messages'])
    there.onRequest(recordOf(requestOf('POST', target), outcome(200)))
  there.onRequest(recordOf(requestOf('GET', '/-/x'), outcome(200, { hostBucket: 'files' })))
  there.onRequest(recordOf(requestOf('GET', '/-/s/abc'), outcome(200)))
  for (const target of ['/-/api/status', '/-/files', '/auth/login', '/-/livez', '/-/metrics']) {
    there.onRequest(recordOf(requestOf('GET', target), outcome(403)))
  }
  there.onRequest(recordOf(requestOf('GET', '/'), outcome(302, { operation: 'toDashboard' })))
  await there.flush()
  nowMs += minuteMs
  here.onRequest(recordOf(get, outcome(200)))
  const { fromMs, rows } = await here.read(hour)
  assert.equal(fromMs, startMs + minuteMs - 59 * minuteMs)
  assert.deepEqual(
    rows.map(({ fromMs: atMs, requests, refused, failed, sentBytes }) => {
      return [atMs, requests, refused, failed, sentBytes]
    }),
    [
      [startMs, 11, 1, 2, 11_000],
      [startMs + minuteMs, 1, 0, 0, 1_000],
    ],
  )
})

test('Calls of the drive are timed, also those that find nothing', async (t) => {
  const database = await openTestDatabase(t)
  const watch = new TrafficWatch({ database, now: () => startMs, log })
  const memory = openMemoryDrive()
  await memory.prepare(['files'])
  const drive = watchedDrive(memory, '', { traffic: watch })
  await put(drive, 'a', 'text')
  await drive.head('files', 'a')
  assert.equal(await drive.open('files', 'none'), undefined)
  assert.deepEqual(await keysOf(drive), ['a'])
  const [row] = (await watch.read(hour)).rows
  // publish, head, open, and two pages of the list.
  assert.equal(row?.driveCalls, 5)
  assert.ok((row?.slowestUs ?? 0) <= (row?.driveUs ?? 0))
})

test('What the database did not take is written later, and bounded meanwhile', async (t) => {
  const database = await openTestDatabase(t)
  let isAway = true
  const away: Pick<Database, 'read' | 'write'> = {
    read: (...given) => database.read(...given),
    write: async (...given) => {
      if (isAway) throw new Error('away')
      return database.write(...given)
    },
  }
  let nowMs = startMs
  const warnings: string[] = []
  const watch = new TrafficWatch({
    ...{ database: away, now: () => nowMs, flushMs: 5 },
    log: { warn: (_: object, text: string) => void warnings.push(text) } as never,
  })
  const get = requestOf('GET', '/files/a')
  for (let minute = 0; minute < 100; minute++) {
    nowMs = startMs + minute * minuteMs
    watch.onRequest(recordOf(get, outcome(200)))
    if (minute % 10 === 0) await watch.flush()
  }
  assert.equal(warnings.length, 1)
  isAway = false
  const table = new TrafficTable(database)
  await until(async () => (await table.read(minuteMs, 0, nowMs * 2)).length === 60)
  await watch.close()
})

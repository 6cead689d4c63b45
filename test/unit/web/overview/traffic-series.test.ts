import assert from 'node:assert/strict'
import { test } from 'node:test'
import { healthOf } from '../../../../web/src/overview/health/health.ts'
import {
  formatMs,
  sumOf,
  type TrafficPoint,
  trafficPlots,
} from '../../../../web/src/overview/traffic/traffic-series.ts'

const point = (changes: Partial<TrafficPoint> = {}): TrafficPoint => ({
  ...{ from: '2026-01-01T00:00:00.000Z', requests: 3, refused: 1, failed: 0 },
  ...{ receivedBytes: 1_024, sentBytes: 2_048, driveCalls: 0, driveMs: 0, slowestDriveMs: 0 },
  ...changes,
})

test('The plots have their sums, and no time of the drive where nothing called it', () => {
  const points = [point(), point({ driveCalls: 2, driveMs: 0.5, slowestDriveMs: 12 })]
  assert.equal(sumOf(points).requests, 6)
  const plots = trafficPlots(points)
  assert.deepEqual(
    plots.map(({ title, series }) => [title, series.map(({ note }) => note)]),
    [
      ['Requests', ['6']],
      ['Errors', ['2', '0']],
      ['Bytes', ['2.00 KiB', '4.00 KiB']],
      ['Drive latency', [undefined, undefined]],
    ],
  )
  assert.deepEqual(plots[3]?.series[1]?.values, [null, 12])
})

test('Times of the drive are short', () => {
  const shown = [0, 0.0421, 0.5, 9.4, 12.6, 1_250].map(formatMs)
  assert.deepEqual(shown, ['0 ms', '0.042 ms', '0.5 ms', '9.4 ms', '13 ms', '1.3 s'])
})

test('Health says what does not work, and what to look at', () => {
  const drive = (changes: object = {}) => ({
    ...{ name: 'default', isReadOnly: false, kind: 'file', deletes: 'permanent' as const },
    ...{ problem: null, freeBytes: 50, totalBytes: 100, ...changes },
  })
  const quiet = { failed: 0 }
  const good = healthOf({ drives: [drive()] }, quiet, [])
  assert.deepEqual([good.level, good.reasons], ['good', []])
  const failed = healthOf({ drives: [drive()] }, { failed: 1 }, [])
  const texts = ({ reasons }: typeof failed) => reasons.map(({ text }) => text)
  assert.deepEqual([failed.level, texts(failed)], ['watch', ['1 failed request in the last hour']])
  const run = { objects: 0, uploads: 0, versions: 0, locked: 0, failures: 1, isDone: false }
  const bucket = {
    ...{ name: 'a', bytes: 80, formerVersions: { count: 1, bytes: 10 }, quotaBytes: 100 },
    lastExpiry: { ...run, beganAt: '2026-01-01T00:00:00Z', problem: 'gone' },
  }
  const watched = healthOf({ drives: [drive({ freeBytes: 14 })] }, quiet, [bucket])
  assert.deepEqual(texts(watched), [
    'Drive 86 % full',
    'Quota of a 90 % used',
    'Lifecycle rules of a: gone',
  ])
  const drives = [drive({ freeBytes: 1 }), drive({ name: 'nas', problem: 'gone' })]
  const bad = healthOf({ drives }, quiet, [])
  assert.deepEqual(
    [bad.level, texts(bad)],
    ['bad', ['Drive nas not available: gone', 'Drive default 99 % full']],
  )
})

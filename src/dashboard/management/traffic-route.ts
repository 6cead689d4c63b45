import { z } from 'zod'
import { type Route, route } from '../../platform/json-api/route.ts'
import { hourMs, minuteMs, type TrafficRow } from './traffic-table.ts'

const count = z.int().min(0)
const trafficPoint = z.object({
  from: z.iso.datetime().meta({ description: 'The start of the step.' }),
  requests: count,
  refused: count.meta({
    description: 'Answered with 4xx, without failures of normal operation (404, 412, 416).',
  }),
  failed: count.meta({ description: 'Answered with 5xx.' }),
  receivedBytes: count,
  sentBytes: count,
  driveCalls: count,
  driveMs: z.number().meta({ description: 'Mean time of a call to the drive.' }),
  slowestDriveMs: z.number(),
})

const trafficReply = z.object({
  stepSeconds: count,
  points: z
    .array(trafficPoint)
    .meta({ description: 'Oldest first; the last step is still in progress.' }),
})
export type TrafficReply = z.infer<typeof trafficReply>

export interface TrafficRange {
  readonly stepMs: number
  readonly steps: number
}

export interface Traffic {
  /** The start of the first step. */
  readonly fromMs: number
  /** Steps without traffic are absent. */
  readonly rows: readonly TrafficRow[]
}

/** The number and length of the steps of each range. */
const ranges = {
  hour: { stepMs: minuteMs, steps: 60 },
  day: { stepMs: 10 * minuteMs, steps: 144 },
  month: { stepMs: 4 * hourMs, steps: 180 },
} as const satisfies Record<string, TrafficRange>

interface TrafficParts {
  /** The last steps. @throws DatabaseError */
  readonly traffic: (range: TrafficRange) => Promise<Traffic>
}

/** Traffic over time, for charts. */
export function trafficRoute({ traffic }: TrafficParts): Route {
  return route({
    method: 'GET',
    path: '/traffic',
    operationId: 'getTraffic',
    summary: 'Returns requests, errors, bytes and drive latency over time',
    description:
      'Covers S3, share links and model calls on all workers and gateways; figures of other processes may be ' +
      'ten seconds old. Requests of the dashboard and probes are not included.',
    query: z.strictObject({ range: z.enum(['hour', 'day', 'month']).default('hour') }),
    reply: trafficReply,
    async answer({ query: { range } }) {
      const { stepMs, steps } = ranges[range]
      const { fromMs, rows } = await traffic(ranges[range])
      const known = new Map(rows.map((row) => [row.fromMs, row]))
      const points = Array.from({ length: steps }, (_, index) => {
        const atMs = fromMs + index * stepMs
        return pointOf(known.get(atMs), atMs)
      })
      return { stepSeconds: stepMs / 1_000, points }
    },
  })
}

function pointOf(row: TrafficRow | undefined, fromMs: number): TrafficReply['points'][number] {
  const { driveUs = 0, slowestUs = 0, driveCalls = 0 } = row ?? {}
  return {
    from: new Date(fromMs).toISOString(),
    ...{ requests: row?.requests ?? 0, refused: row?.refused ?? 0, failed: row?.failed ?? 0 },
    ...{ receivedBytes: row?.receivedBytes ?? 0, sentBytes: row?.sentBytes ?? 0 },
    ...{ driveCalls, driveMs: driveCalls === 0 ? 0 : driveUs / driveCalls / 1_000 },
    slowestDriveMs: slowestUs / 1_000,
  }
}

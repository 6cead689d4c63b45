import type { TrafficReply } from '../../../../src/dashboard/management/traffic-route.ts'
import { formatAmount, formatBytes, formatCount } from '../../format/bytes.ts'
import type { Values } from '../../plots/plot-shape.ts'

export type TrafficPoint = TrafficReply['points'][number]

export type TrafficSums = Readonly<
  Record<'requests' | 'refused' | 'failed' | 'receivedBytes' | 'sentBytes', number>
>

const added = ['requests', 'refused', 'failed', 'receivedBytes', 'sentBytes'] as const

/** The sums of all points. */
export function sumOf(points: readonly TrafficPoint[]): TrafficSums {
  const sumOfField = (name: (typeof added)[number]) =>
    points.reduce((sum, point) => sum + point[name], 0)
  return Object.fromEntries(added.map((name) => [name, sumOfField(name)])) as TrafficSums
}

interface TrafficPlot {
  readonly title: string
  readonly kind: 'bars' | 'lines'
  readonly unit?: 'bytes' | 'count'
  readonly format: (value: number) => string
  readonly series: readonly {
    readonly name: string
    readonly note?: string
    readonly isError?: boolean
    readonly values: Values
  }[]
}

/** The plots of the overview. */
export function trafficPlots(points: readonly TrafficPoint[]): readonly TrafficPlot[] {
  const sums = sumOf(points)
  const values = (name: keyof TrafficSums) => points.map((point) => point[name])
  // An interval without drive calls has no duration.
  const times = (name: 'driveMs' | 'slowestDriveMs') =>
    points.map((point) => (point.driveCalls === 0 ? null : point[name]))
  return [
    {
      ...{ title: 'Requests', kind: 'bars', unit: 'count', format: formatCount },
      series: [{ name: 'Requests', note: formatCount(sums.requests), values: values('requests') }],
    },
    {
      ...{ title: 'Errors', kind: 'bars', unit: 'count', format: formatCount },
      series: [
        { name: 'Refused', note: formatCount(sums.refused), values: values('refused') },
        { name: 'Failed', note: formatCount(sums.failed), values: values('failed'), isError: true },
      ],
    },
    {
      ...{ title: 'Bytes', kind: 'bars', unit: 'bytes', format: formatBytes },
      series: [
        {
          ...{ name: 'Received', note: formatBytes(sums.receivedBytes) },
          values: values('receivedBytes'),
        },
        { name: 'Sent', note: formatBytes(sums.sentBytes), values: values('sentBytes') },
      ],
    },
    {
      ...{ title: 'Drive latency', kind: 'lines', format: formatMs },
      series: [
        { name: 'Mean', values: times('driveMs') },
        { name: 'Slowest', values: times('slowestDriveMs') },
      ],
    },
  ]
}

/** "0.42 ms", "38 ms", "1.2 s". */
export function formatMs(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms === 0) return '0 ms'
  return `${ms < 9.95 ? Number(ms.toFixed(ms < 0.095 ? 3 : 2)) : Math.round(ms)} ms`
}

/** The failures of the last hour: "3 failed requests in the last hour". */
export function failedText(failed: number): string | undefined {
  return failed === 0 ? undefined : `${formatAmount(failed, 'failed request')} in the last hour`
}

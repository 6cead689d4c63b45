import type { TrafficReply } from '../../../../src/dashboard/management/traffic-route.ts'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import type { Values } from '../../plots/plot-shape.ts'
import { locale } from '../../texts/language.ts'
import { overviewTexts } from '../../texts/overview.ts'

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
      ...{ title: overviewTexts.series.requests, kind: 'bars', unit: 'count', format: formatCount },
      series: [
        {
          name: overviewTexts.series.requests,
          note: formatCount(sums.requests),
          values: values('requests'),
        },
      ],
    },
    {
      ...{ title: overviewTexts.series.errors, kind: 'bars', unit: 'count', format: formatCount },
      series: [
        {
          name: overviewTexts.series.refused,
          note: formatCount(sums.refused),
          values: values('refused'),
        },
        {
          name: overviewTexts.series.failed,
          note: formatCount(sums.failed),
          values: values('failed'),
          isError: true,
        },
      ],
    },
    {
      ...{ title: overviewTexts.series.bytes, kind: 'bars', unit: 'bytes', format: formatBytes },
      series: [
        {
          ...{ name: overviewTexts.series.received, note: formatBytes(sums.receivedBytes) },
          values: values('receivedBytes'),
        },
        {
          name: overviewTexts.series.sent,
          note: formatBytes(sums.sentBytes),
          values: values('sentBytes'),
        },
      ],
    },
    {
      ...{ title: overviewTexts.series.latency, kind: 'lines', format: formatMs },
      series: [
        { name: overviewTexts.series.mean, values: times('driveMs') },
        { name: overviewTexts.series.slowest, values: times('slowestDriveMs') },
      ],
    },
  ]
}

/** "0.42 ms", "38 ms", "1.2 s". */
export function formatMs(ms: number): string {
  if (ms >= 1_000) return `${figure(ms / 1_000, 1)} s`
  return `${ms < 9.95 ? figure(ms, ms < 0.095 ? 3 : 2) : Math.round(ms)} ms`
}

/** With at most so many decimals. */
function figure(value: number, decimals: number): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: decimals }).format(value)
}

/** The failures of the last hour: "3 failed requests in the last hour". */
export function failedText(failed: number): string | undefined {
  return failed === 0 ? undefined : overviewTexts.failures(failed)
}

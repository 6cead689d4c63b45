import { formatBytes, formatCount } from '../../format/bytes.ts'
import { formatDollars } from '../../format/money.ts'
import { formatDay, formatHour, formatMilliseconds } from '../../format/time.ts'
import { TimePlot } from '../../plots/time-plot.tsx'
import classes from './usage.module.css'
import { sumOf, sumsAt, type UsageRow, type UsageSums } from './usage-sums.ts'

interface UsagePlotsProps {
  readonly times: readonly number[]
  readonly rows: readonly UsageRow[]
  readonly by: 'day' | 'hour'
}

export function UsagePlots({ times, rows, by }: UsagePlotsProps) {
  const sums = sumsAt(rows, times)
  const total = sumOf(rows)
  const series =
    (format: (value: number) => string) =>
    (name: string, pick: (sums: UsageSums) => number, isError = false) => {
      return { name, values: sums.map(pick), note: format(pick(total)), isError }
    }
  const counted = series(formatCount)
  const inBytes = series(formatBytes)
  const common = { times, formatTime: by === 'day' ? formatDay : formatHour }
  return (
    <div className={classes.plots}>
      <TimePlot
        {...common}
        {...{ title: 'Requests', kind: 'bars', unit: 'count', format: formatCount }}
        series={[
          counted('Answered', ({ requests, errors }) => requests - errors),
          counted('Fell back', ({ fallbacks }) => fallbacks),
          counted('Failed', ({ errors, fallbacks }) => errors - fallbacks, true),
        ]}
      />
      <TimePlot
        {...common}
        {...{ title: 'Tokens', kind: 'bars', unit: 'count', format: formatCount }}
        series={[
          counted('Input', ({ inputTokens }) => inputTokens),
          counted('Output', ({ outputTokens }) => outputTokens),
        ]}
      />
      <TimePlot
        {...common}
        {...{ title: 'Costs', kind: 'bars', format: formatDollars }}
        series={[series(formatDollars)('US dollars', ({ dollars }) => dollars)]}
      />
      <TimePlot
        {...common}
        {...{ title: 'Bytes', kind: 'bars', unit: 'bytes', format: formatBytes }}
        series={[
          inBytes('Received', ({ receivedBytes }) => receivedBytes),
          inBytes('Sent', ({ sentBytes }) => sentBytes),
        ]}
      />
      <TimePlot
        {...common}
        {...{ title: 'Time to the first byte', kind: 'lines', format: formatMilliseconds }}
        series={[
          {
            name: 'Mean',
            values: sums.map(({ firstByteMs }) => firstByteMs),
            note: total.firstByteMs === null ? '–' : formatMilliseconds(total.firstByteMs),
          },
        ]}
      />
    </div>
  )
}

import { formatBytes, formatCount } from '../../format/bytes.ts'
import { formatDollars } from '../../format/money.ts'
import { formatDay, formatHour, formatMilliseconds } from '../../format/time.ts'
import { TimePlot } from '../../plots/time-plot.tsx'
import { modelsTexts } from '../../texts/models.ts'
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
        {...{ title: modelsTexts.usage.requests, kind: 'bars', unit: 'count', format: formatCount }}
        series={[
          counted(modelsTexts.usage.answered, ({ requests, errors }) => requests - errors),
          counted(modelsTexts.usage.fellBack, ({ fallbacks }) => fallbacks),
          counted(modelsTexts.usage.failed, ({ errors, fallbacks }) => errors - fallbacks, true),
        ]}
      />
      <TimePlot
        {...common}
        {...{ title: modelsTexts.usage.tokens, kind: 'bars', unit: 'count', format: formatCount }}
        series={[
          counted(modelsTexts.usage.input, ({ inputTokens }) => inputTokens),
          counted(modelsTexts.usage.output, ({ outputTokens }) => outputTokens),
        ]}
      />
      <TimePlot
        {...common}
        {...{ title: modelsTexts.usage.costs, kind: 'bars', format: formatDollars }}
        series={[series(formatDollars)(modelsTexts.usage.dollars, ({ dollars }) => dollars)]}
      />
      <TimePlot
        {...common}
        {...{ title: modelsTexts.usage.bytes, kind: 'bars', unit: 'bytes', format: formatBytes }}
        series={[
          inBytes(modelsTexts.usage.received, ({ receivedBytes }) => receivedBytes),
          inBytes(modelsTexts.usage.sent, ({ sentBytes }) => sentBytes),
        ]}
      />
      <TimePlot
        {...common}
        {...{ title: modelsTexts.usage.toFirstByte, kind: 'lines', format: formatMilliseconds }}
        series={[
          {
            name: modelsTexts.usage.mean,
            values: sums.map(({ firstByteMs }) => firstByteMs),
            note: total.firstByteMs === null ? '–' : formatMilliseconds(total.firstByteMs),
          },
        ]}
      />
    </div>
  )
}

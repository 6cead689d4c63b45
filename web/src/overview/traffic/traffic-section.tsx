import { Group, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { type TrafficRange, useTraffic } from '../../api/service-queries.ts'
import { TimePlot } from '../../plots/time-plot.tsx'
import { locale } from '../../texts/language.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { sumOf, type TrafficPoint, trafficPlots } from './traffic-series.ts'

const ranges = [
  { value: 'hour', label: overviewTexts.hour },
  { value: 'day', label: overviewTexts.day },
  { value: 'month', label: overviewTexts.month },
] as const

const ofDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const ofMonth = new Intl.DateTimeFormat(locale, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
})

/** Requests, errors, bytes or drive latency over time. */
export function TrafficSection() {
  const [range, setRange] = useState<TrafficRange>('hour')
  return (
    <Section
      title={overviewTexts.traffic}
      actions={
        <SegmentedControl<TrafficRange>
          aria-label={overviewTexts.period}
          size="xs"
          value={range}
          onChange={setRange}
          data={[...ranges]}
        />
      }
    >
      <Loaded query={useTraffic(range)} failure={overviewTexts.trafficFailure} lines={6}>
        {({ points }) =>
          sumOf(points).requests === 0 ? (
            <Text size="sm" c="dimmed">
              {overviewTexts.noRequests[range]}
            </Text>
          ) : (
            <Plot points={points} range={range} />
          )
        }
      </Loaded>
    </Section>
  )
}

interface PlotProps {
  readonly points: readonly TrafficPoint[]
  readonly range: TrafficRange
}

function Plot({ points, range }: PlotProps) {
  const plots = trafficPlots(points)
  const [title, setTitle] = useState(plots[0]?.title ?? '')
  const plot = plots.find((one) => one.title === title)
  const formatTime = (atMs: number) => (range === 'month' ? ofMonth : ofDay).format(atMs)
  return (
    <>
      <Group mb="sm">
        <SegmentedControl
          aria-label={overviewTexts.plot}
          size="xs"
          value={title}
          onChange={setTitle}
          data={plots.map((one) => one.title)}
        />
      </Group>
      {plot !== undefined && (
        <TimePlot
          {...plot}
          times={points.map(({ from }) => Date.parse(from))}
          formatTime={formatTime}
        />
      )}
    </>
  )
}

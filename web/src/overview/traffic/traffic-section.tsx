import { Group, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { type TrafficRange, useTraffic } from '../../api/service-queries.ts'
import { TimePlot } from '../../plots/time-plot.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { sumOf, type TrafficPoint, trafficPlots } from './traffic-series.ts'

const ranges = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'month', label: '30 days' },
] as const

const spans: Readonly<Record<TrafficRange, string>> = {
  hour: 'hour',
  day: 'day',
  month: '30 days',
}

const ofDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const ofMonth = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
})

/** Requests, errors, bytes or drive latency over time. */
export function TrafficSection() {
  const [range, setRange] = useState<TrafficRange>('hour')
  return (
    <Section
      title="Traffic"
      actions={
        <SegmentedControl<TrafficRange>
          aria-label="Time shown"
          size="xs"
          value={range}
          onChange={setRange}
          data={[...ranges]}
        />
      }
    >
      <Loaded query={useTraffic(range)} failure="The traffic could not be loaded" lines={6}>
        {({ points }) =>
          sumOf(points).requests === 0 ? (
            <Text size="sm" c="dimmed">
              No requests in the last {spans[range]}.
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
          aria-label="Plot"
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

import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { type TrafficRange, useTraffic } from '../../api/service-queries.ts'
import { TimePlot } from '../../plots/time-plot.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import classes from './traffic-section.module.css'
import { trafficPlots } from './traffic-series.ts'

const ranges = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'month', label: '30 days' },
] as const

const ofDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const ofMonth = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
})

/** Requests, errors, bytes and drive times over time. */
export function TrafficSection() {
  const [range, setRange] = useState<TrafficRange>('hour')
  const formatTime = (atMs: number) => (range === 'month' ? ofMonth : ofDay).format(atMs)
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
      <Loaded query={useTraffic(range)} failure="The traffic could not be loaded" lines={12}>
        {({ points }) => (
          <div className={classes.plots}>
            {trafficPlots(points).map((plot) => (
              <TimePlot
                key={plot.title}
                {...plot}
                times={points.map(({ from }) => Date.parse(from))}
                formatTime={formatTime}
              />
            ))}
          </div>
        )}
      </Loaded>
    </Section>
  )
}

import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { plotsTexts } from '../texts/plots.ts'
import { type PlotSeries, shownValue, type TimePlotProps } from './plot-series.ts'
import {
  barsPath,
  highestOf,
  linePath,
  movedSlot,
  plotHeight,
  plotTop,
  slotWithin,
  stacked,
} from './plot-shape.ts'
import { PlotTable } from './plot-table.tsx'
import classes from './time-plot.module.css'

/** Values over time. The pointer and the arrow keys show the values of one time; a table shows all values. */
export function TimePlot(props: TimePlotProps) {
  const { title, times, series, kind, format, formatTime, unit } = props
  const highest = highestOf(
    series.map(({ values }) => values),
    kind === 'bars',
  )
  const top = plotTop(highest, unit === 'bytes' ? 1024 : 1000, unit === 'count' ? 2 : 0)
  const labelled = [0, Math.floor((times.length - 1) / 2), times.length - 1]
  const ends = new Set(labelled.flatMap((index) => times[index] ?? []))
  return (
    <figure className={classes.plot}>
      <figcaption className={classes.caption}>
        <b>{title}</b>
        <Legend series={series} />
      </figcaption>
      <div className={classes.frame}>
        <div className={classes.scale} aria-hidden>
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{format(value)}</span>
          ))}
        </div>
        <Area {...props} top={top} isEmpty={highest === 0} />
        <div className={classes.times} aria-hidden>
          {[...ends].map((atMs) => (
            <span key={atMs}>{formatTime(atMs)}</span>
          ))}
        </div>
      </div>
      <PlotTable {...props} />
    </figure>
  )
}

function Legend({ series }: Pick<TimePlotProps, 'series'>) {
  return (
    <ul className={classes.legend}>
      {series.map(({ name, note, isError }, index) => (
        <li key={name} data-series={isError === true ? 'error' : index}>
          {name} {note !== undefined && <span className={classes.note}>{note}</span>}
        </li>
      ))}
    </ul>
  )
}

interface AreaProps extends TimePlotProps {
  readonly top: number
  readonly isEmpty: boolean
}

/** For screen readers, a slider through the times that reads the values of each. */
function Area(props: AreaProps) {
  const { title, times, series, format, formatTime, isEmpty } = props
  const count = times.length
  const { slot, events } = useSlot(count)
  const spoken = slot ?? count - 1
  const valueAt = ({ values }: PlotSeries, at: number) => shownValue(values[at], format)
  const text = series.map((each) => `${each.name} ${valueAt(each, spoken)}`).join(', ')
  return (
    <div
      className={classes.area}
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={spoken}
      aria-valuetext={`${formatTime(times[spoken] ?? 0)}: ${text}`}
      {...events}
    >
      <Drawing {...props} slot={slot} />
      {isEmpty && <span className={classes.empty}>{plotsTexts.noData}</span>}
      {slot !== undefined && (
        <div
          className={classes.tooltip}
          aria-hidden
          // On the side with more room, so that it covers neither the legend nor what it is about.
          style={
            slot < count / 2
              ? { left: `${((slot + 1) / count) * 100}%` }
              : { right: `${((count - slot) / count) * 100}%` }
          }
        >
          <b>{formatTime(times[slot] ?? 0)}</b>
          {series.map((each, index) => (
            <span key={each.name} data-series={each.isError === true ? 'error' : index}>
              {each.name} <b>{valueAt(each, slot)}</b>
            </span>
          ))}
        </div>
      )}
    </div>
  )
}

function Drawing({ times, series, kind, top, slot }: AreaProps & { slot: number | undefined }) {
  const ends = kind === 'bars' ? stacked(series.map(({ values }) => values)) : []
  return (
    <svg
      className={classes.drawing}
      viewBox={`0 0 ${Math.max(1, times.length)} ${plotHeight}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {slot !== undefined && (
        <rect className={classes.slot} x={slot} y={0} width={1} height={plotHeight} />
      )}
      {[0, plotHeight / 2, plotHeight].map((y) => (
        <path key={y} className={classes.line} d={`M0 ${y}H${times.length}`} />
      ))}
      {series.map(({ name, values, isError }, index) => (
        <path
          key={name}
          className={kind === 'bars' ? classes.bars : classes.curve}
          data-series={isError === true ? 'error' : index}
          d={
            kind === 'bars'
              ? barsPath(ends[index - 1], ends[index] ?? [], top)
              : linePath(values, top)
          }
        />
      ))}
    </svg>
  )
}

/** The time whose values are shown: under the pointer, or chosen by keys. */
function useSlot(count: number) {
  const [chosen, setSlot] = useState<number>()
  const slot = chosen === undefined || count === 0 ? undefined : slotWithin(chosen, count)
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setSlot(slotWithin(Math.floor(((clientX - left) / width) * count), count))
  }
  const events = {
    onPointerMove: point,
    onPointerDown: point,
    // The values stay when a finger is lifted.
    onPointerLeave: ({ pointerType }: PointerEvent) =>
      pointerType === 'mouse' && setSlot(undefined),
    onFocus: () => setSlot((before) => before ?? count - 1),
    onBlur: () => setSlot(undefined),
    onKeyDown: (event: KeyboardEvent) => {
      // WCAG 2.2, "Content on Hover or Focus": it can be dismissed.
      if (event.key === 'Escape') return setSlot(undefined)
      const moved = movedSlot(event.key, slot ?? count - 1, count)
      if (moved === undefined) return
      event.preventDefault()
      setSlot(moved)
    },
  }
  return { slot, events }
}

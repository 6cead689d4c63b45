import { useState } from 'react'
import { frameTexts } from '../texts/frame.ts'
import { plotsTexts } from '../texts/plots.ts'
import { shownValue, type TimePlotProps } from './plot-series.ts'
import classes from './time-plot.module.css'

/** The values of a plot, the newest first. */
export function PlotTable({ title, times, series, format, formatTime }: TimePlotProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className={classes.details}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>{plotsTexts.tableOf(frameTexts.inSentence(title))}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard
        <section className={classes.table} aria-label={title} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{plotsTexts.time}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .map((atMs, index) => (
                  <tr key={atMs}>
                    <th scope="row">{formatTime(atMs)}</th>
                    {series.map(({ name, values }) => (
                      <td key={name}>{shownValue(values[index], format)}</td>
                    ))}
                  </tr>
                ))
                .reverse()}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}

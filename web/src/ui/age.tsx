import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import { formatAge, formatMoment } from '../format/time.ts'

const everyMs = 30_000

/** A relative time with the exact time as a tooltip. */
export function Age({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), everyMs, { autoInvoke: true })
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} data-tip={formatMoment(atMs)}>
      {formatAge(atMs, now)}
    </time>
  )
}

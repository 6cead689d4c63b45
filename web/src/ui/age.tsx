import { useEffect, useState } from 'react'
import { formatAge, formatMoment } from '../format/time.ts'

const everyMs = 30_000

/** A relative time with the exact time as tooltip. */
export function Age({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [])
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} title={formatMoment(atMs)}>
      {formatAge(atMs, now)}
    </time>
  )
}

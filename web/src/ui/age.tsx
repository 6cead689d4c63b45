import { formatAge, formatMoment } from '../format/time.ts'
import { useNow } from './use-now.ts'

const everyMs = 30_000

/** A relative time with the exact time as tooltip. */
export function Age({ at }: { readonly at: string }) {
  const now = useNow(everyMs)
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} title={formatMoment(atMs)}>
      {formatAge(atMs, now)}
    </time>
  )
}

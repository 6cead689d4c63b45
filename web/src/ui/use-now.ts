import { useEffect, useState } from 'react'

/** The time, milliseconds since the epoch, told anew every `everyMs`; undefined: it stands still. */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (everyMs === undefined) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

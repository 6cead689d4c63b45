import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { type ConnectionStatus, connection } from './connection.ts'

/** A visible page notices within three seconds that the service has stopped. */
const checkEveryMs = 2_000

export function useConnection(): ConnectionStatus {
  return useSyncExternalStore(connection.subscribe, connection.snapshot)
}

/** Checks the connection while the page is visible, and reloads all data when the service is back. */
export function useConnectionWatch(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const check = () => {
      if (document.visibilityState === 'visible') void connection.check()
    }
    const timer = setInterval(check, checkEveryMs)
    const events = ['online', 'offline', 'visibilitychange'] as const
    for (const name of events) addEventListener(name, check)
    return () => {
      clearInterval(timer)
      for (const name of events) removeEventListener(name, check)
    }
  }, [])
  useEffect(
    () =>
      connection.subscribe(() => {
        if (connection.snapshot() === 'connected') void queries.invalidateQueries()
      }),
    [queries],
  )
}

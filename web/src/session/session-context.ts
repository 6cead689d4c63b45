import { createContext, useContext } from 'react'
import type { SessionStatus } from './session-store.ts'

interface SessionActions {
  readonly status: SessionStatus
  /**
   * @throws ApiError: 401 wrong password, 429 with the seconds to wait, 503 dashboard turned off.
   */
  readonly signIn: (password: string) => Promise<void>
  readonly signOut: () => void
}

export const SessionContext = createContext<SessionActions | undefined>(undefined)

export function useSession(): SessionActions {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSession is outside of SessionProvider')
  return session
}

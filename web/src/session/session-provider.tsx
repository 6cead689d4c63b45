import { useWindowEvent } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { send } from '../api/client.ts'
import { passwordHash } from './password-hash.ts'
import { SessionContext } from './session-context.ts'
import { sessionKey, sessionStore } from './session-store.ts'

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const status = useSyncExternalStore(sessionStore.subscribe, sessionStore.snapshot)
  useWindowEvent('storage', ({ key }) => {
    if (key === sessionKey || key === null) sessionStore.reload()
  })
  useEffect(() => {
    // Repeats queries that failed without a session.
    if (status === 'active') void queries.invalidateQueries()
  }, [status, queries])
  const signOut = useCallback(() => {
    void endSession()
    queries.clear()
  }, [queries])
  const value = useMemo(() => ({ status, signIn, signOut }), [status, signOut])
  return <SessionContext value={value}>{children}</SessionContext>
}

async function signIn(password: string): Promise<void> {
  const { token, expiresIn } = await send<{ token: string; expiresIn: number }>('/auth/login', {
    method: 'POST',
    body: { passwordHash: passwordHash(password) },
  })
  sessionStore.begin(token, expiresIn)
}

/**
 * The browser forgets the session immediately. If the logout request fails, the session times out.
 */
async function endSession(): Promise<void> {
  const { token } = sessionStore
  sessionStore.end()
  if (token === undefined) return
  await send('/auth/logout', { method: 'POST', token }).catch(() => undefined)
}

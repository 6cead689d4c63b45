import { useSyncExternalStore } from 'react'
import { send } from '../api/client.ts'
import { passwordHash } from './password-hash.ts'
import { sessionStore } from './session-store.ts'

export function useSession() {
  const status = useSyncExternalStore(sessionStore.subscribe, sessionStore.snapshot)
  return { status, signOut, endEverywhere }
}

/**
 * @throws ApiError: 401 wrong password, 429 with the seconds to wait, 503 dashboard turned off.
 */
export async function signIn(password: string): Promise<void> {
  const { token, expiresIn } = await send<{ token: string; expiresIn: number }>('/auth/login', {
    method: 'POST',
    body: { passwordHash: passwordHash(password) },
  })
  sessionStore.begin(token, expiresIn)
}

/**
 * The browser forgets the session immediately, in all tabs. If the logout request fails, the
 * session times out.
 */
async function signOut(): Promise<void> {
  const { token } = sessionStore
  sessionStore.end()
  if (token === undefined) return
  await send('/auth/logout', { method: 'POST', token }).catch(() => undefined)
}

/** The service has ended all sessions. The pages stay as they are behind the sign-in form, in all tabs. */
function endEverywhere(reason?: string): void {
  const { token } = sessionStore
  if (token !== undefined) sessionStore.expire(token, reason)
}

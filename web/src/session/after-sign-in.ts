import { ApiError } from '../api/api-error.ts'
import { type SessionStore, sessionStore } from './session-store.ts'

/** Repeats work after the next sign-in if its session had expired. */
export async function afterSignIn<Result>(
  work: () => Promise<Result>,
  store: Pick<SessionStore, 'status' | 'subscribe'> = sessionStore,
): Promise<Result> {
  while (true) {
    try {
      return await work()
    } catch (error) {
      const isOver = error instanceof ApiError && error.status === 401
      if (!isOver || store.status === 'none') throw error
      await newSession(store)
    }
  }
}

function newSession(store: Pick<SessionStore, 'status' | 'subscribe'>): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (store.status === 'expired') return
      unsubscribe()
      resolve()
    }
    const unsubscribe = store.subscribe(check)
    check()
  })
}

import { ApiError } from '../api/api-error.ts'
import { sessionStore } from '../session/session-store.ts'

/** Does some work again when its session was over, once there is a new one. */
export async function afterSignIn<Result>(work: () => Promise<Result>): Promise<Result> {
  while (true) {
    try {
      return await work()
    } catch (error) {
      const isOver = error instanceof ApiError && error.status === 401
      if (!isOver || sessionStore.status === 'none') throw error
      await newSession()
    }
  }
}

function newSession(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (sessionStore.status === 'expired') return
      unsubscribe()
      resolve()
    }
    const unsubscribe = sessionStore.subscribe(check)
    check()
  })
}

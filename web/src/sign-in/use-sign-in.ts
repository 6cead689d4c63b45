import { type FormEvent, useLayoutEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { send } from '../api/client.ts'
import { signIn } from '../session/use-session.ts'
import { frameTexts } from '../texts/frame.ts'
import { type Problem, problemOf } from './problem.ts'

export function useSignIn() {
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setIsBusy] = useState(false)
  const waitMs = useWait(problem)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || waitMs > 0) return
    if (password === '') {
      setProblem({ kind: 'wrong', message: frameTexts.signIn.enterPassword })
      return
    }
    setIsBusy(true)
    signIn(password)
      .catch(async (error: Error) => setProblem(await explain(error)))
      .finally(() => setIsBusy(false))
  }
  return { password, setPassword, problem, isBusy, waitMs, submit }
}

/** Milliseconds until the next attempt is allowed, counting down; 0: now. */
function useWait(problem: Problem | undefined): number {
  const untilMs = problem?.kind === 'locked' ? problem.untilMs : 0
  const [waitMs, setWaitMs] = useState(0)
  useLayoutEffect(() => {
    const update = () => setWaitMs(Math.max(0, untilMs - Date.now()))
    update()
    const timer = setInterval(update, 1_000)
    return () => clearInterval(timer)
  }, [untilMs])
  return waitMs
}

async function explain(error: Error): Promise<Problem> {
  if (!(error instanceof ApiError)) return { kind: 'failed', message: error.message }
  return problemOf(error, error.status === 503 && (await isDashboardOff()), Date.now())
}

/**
 * Without a token the service does not query the session store, so a 503 means that the dashboard
 * is off.
 */
async function isDashboardOff(): Promise<boolean> {
  try {
    await send('/auth/session', {})
    return false
  } catch (error) {
    return error instanceof ApiError && error.status === 503
  }
}

import { useWindowEvent } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { frameTexts } from '../texts/frame.ts'
import classes from './session-gate.module.css'
import { sessionKey, sessionStore } from './session-store.ts'
import { useSession } from './use-session.ts'

/**
 * Shows the pages after sign-in. If the session expires, the page and its uploads stay in place
 * behind the form.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const { status } = useSession()
  useWindowEvent('storage', ({ key }) => {
    if (key === sessionKey || key === null) sessionStore.reload()
  })
  const earlier = useRef(status)
  useEffect(() => {
    // Repeats queries that failed without a session.
    if (status === 'active' && earlier.current === 'expired') void queries.invalidateQueries()
    earlier.current = status
    // Also if another tab has signed out: the next session starts with an empty cache.
    if (status === 'none') queries.clear()
  }, [status, queries])
  if (status === 'none') {
    return (
      <main className={classes.page}>
        <div className={classes.card}>
          <SignInForm />
        </div>
      </main>
    )
  }
  return (
    <>
      {children}
      {status === 'expired' && <ExpiredSession />}
    </>
  )
}

/**
 * The sign-in form over the page. A native modal dialog makes everything else inert, including open
 * dialogs of the page.
 */
function ExpiredSession() {
  const dialog = useRef<HTMLDialogElement>(null)
  // Runs before the effects of the form, which focuses its field.
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={classes.card}
      aria-labelledby="sign-in-title"
      onCancel={(event) => event.preventDefault()}
      // Browsers close the dialog on a second Escape.
      onClose={() => dialog.current?.showModal()}
    >
      <SignInForm message={sessionStore.reason ?? frameTexts.signIn.expired} />
    </dialog>
  )
}

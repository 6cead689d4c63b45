import type { ReactNode } from 'react'
import { SignInPage } from '../sign-in/sign-in-page.tsx'
import { ExpiredSession } from './expired-session.tsx'
import { useSession } from './session-context.ts'

/**
 * Shows the pages after sign-in. If the session expires, the page and its uploads stay in place
 * behind the form.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { status } = useSession()
  if (status === 'none') return <SignInPage />
  return (
    <>
      {children}
      {status === 'expired' && <ExpiredSession />}
    </>
  )
}

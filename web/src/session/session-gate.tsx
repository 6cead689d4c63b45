import type { ReactNode } from 'react'
import { SignInPage } from '../sign-in/sign-in-page.tsx'
import { ExpiredSession } from './expired-session.tsx'
import { useSession } from './session-context.ts'

/**
 * Shows the pages to who has signed in. When the session ends meanwhile the page stays as it is,
 * uploads included, behind the form.
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

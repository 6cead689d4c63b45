import { useLayoutEffect, useRef } from 'react'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import classes from './expired-session.module.css'

/**
 * The sign-in form over the page. A modal dialog of the browser: everything else is inert, open
 * dialogs of the page too.
 */
export function ExpiredSession() {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the effects of the form, which puts the focus on its field.
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-labelledby="sign-in-title"
      onCancel={(event) => event.preventDefault()}
      // Browsers let a second Escape through.
      onClose={() => dialog.current?.showModal()}
    >
      <SignInForm message="Your session has expired. Sign in to continue where you left off." />
    </dialog>
  )
}

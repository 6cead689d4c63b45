import { useLayoutEffect, useRef } from 'react'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import classes from './expired-session.module.css'

/**
 * The sign-in form over the page. A native modal dialog makes everything else inert, including open
 * dialogs of the page.
 */
export function ExpiredSession() {
  const dialog = useRef<HTMLDialogElement>(null)
  // Runs before the effects of the form, which focuses its field.
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-labelledby="sign-in-title"
      onCancel={(event) => event.preventDefault()}
      // Browsers close the dialog on a second Escape.
      onClose={() => dialog.current?.showModal()}
    >
      <SignInForm message="Your session has expired. Sign in to continue where you left off." />
    </dialog>
  )
}

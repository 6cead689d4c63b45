import { SignInForm } from './sign-in-form.tsx'
import classes from './sign-in-page.module.css'

export function SignInPage() {
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <SignInForm />
      </div>
    </main>
  )
}

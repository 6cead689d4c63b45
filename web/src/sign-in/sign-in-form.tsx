import { Button, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import iconUrl from '../app/icon.svg'
import { frameTexts } from '../texts/frame.ts'
import { Rich } from '../texts/rich.tsx'
import { PasswordField } from './password-field.tsx'
import classes from './sign-in-form.module.css'
import { SignInProblem } from './sign-in-problem.tsx'
import { useSignIn } from './use-sign-in.ts'

/** @param message why the form appears; omitted on the first sign-in. */
export function SignInForm({ message }: { readonly message?: string }) {
  const { password, setPassword, problem, isBusy, waitMs, submit } = useSignIn()
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Stack gap={12}>
          <img src={iconUrl} alt="" width={36} height={36} />
          <Title order={1} size="h3" id="sign-in-title">
            {frameTexts.signIn.title}
          </Title>
        </Stack>
        {message !== undefined && <Text size="sm">{message}</Text>}
        {/* Password managers expect a user name with a password. */}
        <VisuallyHidden aria-hidden="true">
          <input name="username" autoComplete="username" value="bucketry" readOnly tabIndex={-1} />
        </VisuallyHidden>
        <PasswordField
          value={password}
          onChange={setPassword}
          error={problem?.kind === 'wrong' ? problem.message : undefined}
          attempt={problem}
        />
        <details className={classes.hint}>
          <summary>{frameTexts.signIn.forgotten}</summary>
          <Rich text={frameTexts.signIn.forgottenText} />
        </details>
        {problem !== undefined && <SignInProblem problem={problem} waitMs={waitMs} />}
        <Button type="submit" fullWidth loading={isBusy} disabled={waitMs > 0}>
          {frameTexts.signIn.action}
        </Button>
      </Stack>
    </form>
  )
}

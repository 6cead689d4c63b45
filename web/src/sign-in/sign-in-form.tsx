import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useSession } from '../session/session-context.ts'

export function SignInForm({ message }: { readonly message?: string }) {
  const { signIn } = useSession()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<Error>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn(password).catch(setError)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={1} size="h3" id="sign-in-title">
          Sign in to Stowage
        </Title>
        {message !== undefined && <Text>{message}</Text>}
        <PasswordInput
          label="Password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={error?.message}
          data-autofocus
        />
        <Button type="submit">Sign in</Button>
      </Stack>
    </form>
  )
}

import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../api/client.ts'
import { useStatus } from '../api/service-queries.ts'
import { useSession } from '../session/use-session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { failureOf } from '../ui/messages.ts'
import { Section } from '../ui/section.tsx'

/** Where the password is changed, and the end of all sessions. */
export function SignInSection() {
  const settings = useStatus().data?.settings ?? []
  const of = (wanted: string) => settings.find(({ name }) => name === wanted)
  const file = `${of('DATA_DIR')?.value ?? 'DATA_DIR'}/bucketry.env`
  const isInFile = of('DASHBOARD_PASSWORD')?.source === 'file'
  return (
    <Section title="Sign-in">
      <Text size="sm">
        The password is DASHBOARD_PASSWORD {isInFile ? `in ${file}` : 'in the environment'}. To
        change it, set another one there and restart the gateway: then everybody has to sign in
        again.
      </Text>
      <Group mt="sm">
        <SignOutEverywhere />
      </Group>
    </Section>
  )
}

function SignOutEverywhere() {
  const [isAsked, setIsAsked] = useState(false)
  const { signOut } = useSession()
  const { mutate, isPending } = useMutation({
    mutationFn: () => request('/-/api/sessions', { method: 'DELETE' }),
    onSuccess: () => signOut(),
    onError: failureOf('The sessions could not be ended'),
    onSettled: () => setIsAsked(false),
  })
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsAsked(true)}>
        Sign out everywhere
      </Button>
      <Confirm
        isOpen={isAsked}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        isBusy={isPending}
        onConfirm={() => mutate()}
        onClose={() => setIsAsked(false)}
      >
        Every browser has to sign in again, including this one. Uploads in their tabs wait until
        then. Access keys and links keep working.
      </Confirm>
    </>
  )
}

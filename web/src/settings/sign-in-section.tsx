import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../api/client.ts'
import { useStatus } from '../api/service-queries.ts'
import { useSession } from '../session/use-session.ts'
import { settingsTexts } from '../texts/settings.ts'
import { Confirm } from '../ui/confirm.tsx'
import { HelpButton } from '../ui/help-button.tsx'
import { failureOf } from '../ui/messages.ts'
import { Section } from '../ui/section.tsx'
import { ChangePassword } from './change-password.tsx'

/** Where the password is changed, and the end of all sessions. */
export function SignInSection() {
  const settings = useStatus().data?.settings ?? []
  const of = (wanted: string) => settings.find(({ name }) => name === wanted)
  const file = `${of('DATA_DIR')?.value ?? 'DATA_DIR'}/bucketry.env`
  const isInFile = of('DASHBOARD_PASSWORD')?.source === 'file'
  return (
    <Section title={settingsTexts.signIn.title}>
      <Text size="sm">
        {isInFile ? settingsTexts.signIn.textInFile : settingsTexts.signIn.text}
        <HelpButton
          text={isInFile ? settingsTexts.signIn.inFile(file) : settingsTexts.signIn.inEnvironment}
        />
      </Text>
      <Group mt="sm">
        {isInFile && <ChangePassword />}
        <SignOutEverywhere />
      </Group>
    </Section>
  )
}

function SignOutEverywhere() {
  const [isAsked, setIsAsked] = useState(false)
  const { endEverywhere } = useSession()
  const { mutate, isPending } = useMutation({
    mutationFn: () => request('/-/api/sessions', { method: 'DELETE' }),
    onSuccess: () => endEverywhere(),
    onError: failureOf(settingsTexts.signIn.failure),
    onSettled: () => setIsAsked(false),
  })
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsAsked(true)}>
        {settingsTexts.signIn.everywhere}
      </Button>
      <Confirm
        isOpen={isAsked}
        title={settingsTexts.signIn.everywhereAsk}
        action={settingsTexts.signIn.everywhere}
        isBusy={isPending}
        onConfirm={() => mutate()}
        onClose={() => setIsAsked(false)}
      >
        {settingsTexts.signIn.everywhereText}
      </Confirm>
    </>
  )
}

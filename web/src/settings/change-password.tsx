import { Button, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { request } from '../api/client.ts'
import { passwordHash } from '../session/password-hash.ts'
import { useSession } from '../session/use-session.ts'
import { frameTexts } from '../texts/frame.ts'
import { settingsTexts } from '../texts/settings.ts'
import { FormDialog, focusAtOnce } from '../ui/form-dialog.tsx'

/** The button and the dialog that change the password of the dashboard. */
export function ChangePassword() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsOpen(true)}>
        {settingsTexts.signIn.change}
      </Button>
      {isOpen && <ChangePasswordDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

const minLength = 8

function ChangePasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const [before, setBefore] = useState('')
  const [password, setPassword] = useState('')
  const { endEverywhere } = useSession()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      request('/-/api/password', {
        method: 'PUT',
        body: { passwordHash: passwordHash(before), password },
      }),
    onSuccess: () => {
      onClose()
      endEverywhere(settingsTexts.signIn.changed)
    },
  })
  const problemAt = (field: string) =>
    error instanceof ApiError && error.field === field ? error.message : undefined
  const isShown = ['passwordHash', 'password'].some(problemAt)
  return (
    <FormDialog
      title={settingsTexts.signIn.change}
      action={settingsTexts.signIn.change}
      isBusy={isPending}
      problem={error === null || isShown ? undefined : error.message}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <PasswordInput
        ref={focusAtOnce}
        label={settingsTexts.signIn.present}
        autoComplete="current-password"
        required
        data-autofocus
        value={before}
        error={problemAt('passwordHash')}
        onChange={({ currentTarget }) => setBefore(currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': frameTexts.signIn.showPassword }}
      />
      <PasswordInput
        label={settingsTexts.signIn.next}
        description={settingsTexts.signIn.nextHint}
        autoComplete="new-password"
        required
        minLength={minLength}
        value={password}
        error={problemAt('password')}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': frameTexts.signIn.showPassword }}
      />
    </FormDialog>
  )
}

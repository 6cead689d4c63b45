import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import type { KeyReply, KeyWithSecretReply } from '../../../src/dashboard/management/key-routes.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { failureOf } from '../ui/messages.ts'
import { pathOf, useKeyAction } from './keys-queries.ts'

interface RotateDialogProps {
  readonly accessKey: KeyReply
  readonly onDone: (made: KeyWithSecretReply) => void
  readonly onClose: () => void
}

/** Seconds that the old secret stays valid. */
const periods = [
  { value: '0', label: 'not at all' },
  { value: '3600', label: 'for an hour' },
  { value: '86400', label: 'for a day' },
  { value: '604800', label: 'for a week' },
  { value: '2592000', label: 'for 30 days' },
]

export function RotateDialog({ accessKey, onDone, onClose }: RotateDialogProps) {
  const [period, setPeriod] = useState('86400')
  const { mutate, isPending } = useKeyAction<KeyWithSecretReply>({
    onSuccess: onDone,
    onError: failureOf(`${accessKey.name} could not be rotated`),
  })
  return (
    <FormDialog
      title={`Replace the secret of ${accessKey.name}?`}
      action="Replace the secret"
      isBusy={isPending}
      onSubmit={() =>
        mutate({
          method: 'POST',
          path: `${pathOf(accessKey)}/rotate`,
          body: { keepOldSeconds: Number(period) },
        })
      }
      onClose={onClose}
    >
      <Text size="sm">
        The access key ID stays. Give the new secret to the app while the old one is still valid.
      </Text>
      <NativeSelect
        label="The old secret stays valid"
        data={periods}
        value={period}
        onChange={(event) => setPeriod(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

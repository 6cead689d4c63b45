import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import type { KeyReply, KeyWithSecretReply } from '../../../src/dashboard/management/key-routes.ts'
import { keysTexts } from '../texts/keys.ts'
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
  { value: '0', label: keysTexts.rotate.notAtAll },
  { value: '3600', label: keysTexts.rotate.hour },
  { value: '86400', label: keysTexts.rotate.day },
  { value: '604800', label: keysTexts.rotate.week },
  { value: '2592000', label: keysTexts.rotate.month },
]

export function RotateDialog({ accessKey, onDone, onClose }: RotateDialogProps) {
  const [period, setPeriod] = useState('86400')
  const { mutate, isPending } = useKeyAction<KeyWithSecretReply>({
    onSuccess: onDone,
    onError: failureOf(keysTexts.rotate.failure(accessKey.name)),
  })
  return (
    <FormDialog
      title={keysTexts.rotate.ask(accessKey.name)}
      action={keysTexts.replaceSecret}
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
      <Text size="sm">{keysTexts.rotate.text}</Text>
      <NativeSelect
        label={keysTexts.rotate.oldStays}
        data={periods}
        value={period}
        onChange={(event) => setPeriod(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

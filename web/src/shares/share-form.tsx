import { Alert, Button, Group, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ShareBody, ShareReply } from '../../../src/dashboard/shares/share-schemas.ts'
import { frameTexts } from '../texts/frame.ts'
import { mistakesOf, type ShareDraft } from './share-draft.ts'
import { ShareFields } from './share-fields.tsx'

interface ShareFormProps {
  readonly kind: ShareBody['kind']
  /** The link that is changed. */
  readonly share?: ShareReply
  readonly initial: ShareDraft
  /** The label of the button. */
  readonly action: string
  /** The title above the reason of a failure. */
  readonly failure: string
  readonly error: Error | null
  readonly isBusy: boolean
  readonly onSubmit: (draft: ShareDraft) => void
  readonly onCancel?: () => void
}

export function ShareForm(props: ShareFormProps) {
  const { kind, share, initial, error, isBusy, onSubmit, onCancel } = props
  const [draft, setDraft] = useState(initial)
  const [areMistakesShown, setAreMistakesShown] = useState(false)
  const mistakes = mistakesOf(draft, Date.now())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAreMistakesShown(true)
    const isRight = Object.values(mistakes).every((mistake) => mistake === undefined)
    if (isRight && !isBusy) onSubmit(draft)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <ShareFields
          kind={kind}
          share={share}
          draft={draft}
          mistakes={areMistakesShown ? mistakes : {}}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
        {error !== null && (
          <Alert color="red" role="alert" title={props.failure}>
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          {onCancel !== undefined && (
            <Button variant="default" onClick={onCancel}>
              {frameTexts.cancel}
            </Button>
          )}
          <Button type="submit" loading={isBusy}>
            {props.action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

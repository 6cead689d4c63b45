import { Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { bucketsTexts } from '../texts/buckets.ts'
import { Rich } from '../texts/rich.tsx'
import { FormDialog, NameInput } from '../ui/form-dialog.tsx'
import { bucketNameProblem, validBucketName } from './bucket-name.ts'
import { useBucketAction } from './use-bucket-action.ts'

/** Creates a bucket and opens it. A name that is not valid is replaced by a valid one like it, which is shown. */
export function CreateBucketDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [, navigate] = useLocation()
  const name = validBucketName(text) ?? text
  const { mutate, isPending, error } = useBucketAction(() => {
    onClose()
    navigate(`/files/${name}`)
  })
  const submit = () => {
    const wrong = bucketNameProblem(name)
    setProblem(wrong)
    if (wrong === undefined) mutate({ method: 'POST', path: '', body: { name } })
  }
  return (
    <FormDialog
      title={bucketsTexts.dialog.title}
      action={bucketsTexts.dialog.action}
      isBusy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameInput
        label={bucketsTexts.dialog.name}
        description={bucketsTexts.dialog.text}
        value={text}
        error={problem ?? error?.message}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setProblem(undefined)
        }}
      />
      {name !== text && (
        <Text size="sm" role="status">
          <Rich text={bucketsTexts.dialog.named(name)} />
        </Text>
      )}
    </FormDialog>
  )
}

import { useState } from 'react'
import { FormDialog, NameInput } from '../ui/form-dialog.tsx'
import { bucketNameProblem } from './bucket-name.ts'
import { useBucketAction } from './use-bucket-action.ts'

export function CreateBucketDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const { mutate, isPending, error } = useBucketAction(onClose)
  const submit = () => {
    const wrong = bucketNameProblem(name)
    setProblem(wrong)
    if (wrong === undefined) mutate({ method: 'POST', path: '', body: { name } })
  }
  return (
    <FormDialog
      title="New bucket"
      action="Create the bucket"
      isBusy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameInput
        label="Name"
        description="A folder of this name is created on the drive. The name cannot be changed later."
        value={name}
        error={problem ?? error?.message}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setProblem(undefined)
        }}
      />
    </FormDialog>
  )
}

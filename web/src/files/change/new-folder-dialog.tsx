import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog, NameInput } from '../../ui/form-dialog.tsx'
import { keyBytes, maxKeyBytes } from '../entries/object-address.ts'
import { makeFolder } from '../s3/bucket-client.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { nameProblem } from './move-plan.ts'

interface NewFolderDialogProps {
  readonly bucket: string
  readonly prefix: string
  readonly onClose: () => void
}

export function NewFolderDialog({ bucket, prefix, onClose }: NewFolderDialogProps) {
  const [name, setName] = useState('')
  const { mutate, isPending, error } = useMutation({
    networkMode: 'always',
    mutationFn: () => createFolder(bucket, prefix, name),
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="New folder"
      action="Create"
      isBusy={isPending}
      onSubmit={mutate}
      onClose={onClose}
    >
      <NameInput
        label="Name"
        value={name}
        error={error?.message}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

/** @throws Error with a message to show. */
async function createFolder(bucket: string, prefix: string, name: string): Promise<void> {
  const key = `${prefix}${name}/`
  const wrong =
    nameProblem(name) ?? (keyBytes(key) > maxKeyBytes ? 'The path is too long.' : undefined)
  if (wrong !== undefined) throw new RangeError(wrong)
  await makeFolder(bucket, key).catch((error: unknown) => {
    const exists = error instanceof S3Failure && error.status === 412
    throw exists ? new Error('A folder with this name already exists.') : error
  })
  const file = { key, size: 0, modifiedAtMs: Date.now(), etag: '' }
  driveChanges.publish({ type: 'added', bucket, file })
}

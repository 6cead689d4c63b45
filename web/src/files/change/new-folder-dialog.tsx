import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog, NameInput } from '../../ui/form-dialog.tsx'
import { crumbsOf } from '../entries/entry.ts'
import { keyBytes, maxKeyBytes } from '../entries/object-address.ts'
import { makeFolder } from '../s3/bucket-client.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { isListed } from './drive-work.ts'
import { pathProblem } from './move-plan.ts'
import { useSpacesQuestion } from './use-spaces-question.tsx'

interface NewFolderDialogProps {
  readonly bucket: string
  readonly prefix: string
  readonly onClose: () => void
}

/** Creates a folder, and the folders above it if its name is a path. */
export function NewFolderDialog({ bucket, prefix, onClose }: NewFolderDialogProps) {
  const [name, setName] = useState('')
  const { isAsking, asks, question } = useSpacesQuestion(name, setName)
  const { mutate, isPending, error } = useMutation({
    networkMode: 'always',
    mutationFn: (entered: string) => createFolders(bucket, prefix, entered),
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="New folder"
      action={isAsking ? 'Create with spaces' : 'Create'}
      isBusy={isPending}
      onSubmit={() => {
        if (!asks()) mutate(name)
      }}
      onClose={onClose}
    >
      <NameInput
        label="Name"
        description="With slashes, each level is created: 2026/summer"
        value={name}
        error={error?.message}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {question}
    </FormDialog>
  )
}

/** @throws Error with a message to show. */
async function createFolders(bucket: string, prefix: string, name: string): Promise<void> {
  const path = name.replace(/\/$/, '')
  const target = `${prefix}${path}/`
  const wrong =
    pathProblem(path) ?? (keyBytes(target) > maxKeyBytes ? 'The path is too long.' : undefined)
  if (wrong !== undefined) throw new RangeError(wrong)
  for (const { prefix: key } of crumbsOf(`${path}/`))
    await createFolder(bucket, prefix + key, target)
}

/** Creates one level of a path, unless it exists and is not the last. */
async function createFolder(bucket: string, key: string, last: string): Promise<void> {
  if (key !== last && (await isListed(bucket, key))) return
  await makeFolder(bucket, key).catch((error: unknown) => {
    const exists = error instanceof S3Failure && error.status === 412
    if (exists && key !== last) return
    throw exists ? new Error('A folder with this name already exists.') : error
  })
  const file = { key, size: 0, modifiedAtMs: Date.now(), etag: '' }
  driveChanges.publish({ type: 'added', bucket, file })
}

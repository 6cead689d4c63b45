import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
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
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const key = `${prefix}${name}/`
    const wrong =
      nameProblem(name) ?? (keyBytes(key) > maxKeyBytes ? 'The path is too long.' : undefined)
    setProblem(wrong)
    if (wrong !== undefined) return
    setIsBusy(true)
    try {
      await makeFolder(bucket, key)
      const file = { key, size: 0, modifiedAtMs: Date.now(), etag: '' }
      driveChanges.tell({ type: 'added', bucket, file })
      onClose()
    } catch (error) {
      setProblem(problemOf(error))
      setIsBusy(false)
    }
  }
  return (
    <Modal opened onClose={onClose} title="New folder" centered>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <TextInput
            label="Name"
            data-autofocus
            value={name}
            error={problem}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function problemOf(error: unknown): string {
  if (error instanceof S3Failure && error.status === 412)
    return 'A folder with this name already exists.'
  return error instanceof Error ? error.message : String(error)
}

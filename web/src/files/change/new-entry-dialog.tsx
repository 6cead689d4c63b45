import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fileChangeTexts } from '../../texts/file-change.ts'
import { FormDialog, NameInput } from '../../ui/form-dialog.tsx'
import type { Browser } from '../browse/browser.ts'
import { crumbsOf, type FileEntry, nameOf, parentOf } from '../entries/entry.ts'
import { keyBytes, maxKeyBytes } from '../entries/object-address.ts'
import { makeFolder, makeText } from '../s3/bucket-client.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { isListed } from './folder-contents.ts'
import type { FolderAddress } from './move-plan.ts'
import { pathProblem } from './name-problem.ts'
import { useSpacesQuestion } from './use-spaces-question.tsx'

interface NewEntryDialogProps {
  readonly what: 'folder' | 'file'
  readonly browser: Browser
  readonly onClose: () => void
}

const texts = {
  folder: { title: fileChangeTexts.create.folder, hint: fileChangeTexts.create.folderHint },
  file: { title: fileChangeTexts.create.file, hint: fileChangeTexts.create.fileHint },
} as const

/** Creates a folder or an empty text file, and the folders above it if its name is a path. */
export function NewEntryDialog({ what, browser, onClose }: NewEntryDialogProps) {
  const { bucket, prefix } = browser.location
  const [name, setName] = useState('')
  const { isAsking, asks, question } = useSpacesQuestion(name, setName)
  const { mutate, isPending, error } = useMutation({
    networkMode: 'always',
    mutationFn: async (entered: string) => {
      if (what === 'file') return createText({ bucket, prefix }, entered)
      await createFolders({ bucket, prefix }, entered)
      return undefined
    },
    onSuccess: (key) => {
      onClose()
      if (key !== undefined) browser.act('write', [emptyFile(key)])
    },
  })
  const { title, hint } = texts[what]
  return (
    <FormDialog
      title={title}
      action={isAsking ? fileChangeTexts.create.withSpaces : fileChangeTexts.create.action}
      isBusy={isPending}
      onSubmit={() => {
        if (!asks()) mutate(name)
      }}
      onClose={onClose}
    >
      <NameInput
        label={fileChangeTexts.create.name}
        description={hint}
        value={name}
        error={error?.message}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {question}
    </FormDialog>
  )
}

/** @throws Error with a message to show. */
async function createFolders({ bucket, prefix }: FolderAddress, name: string): Promise<void> {
  const path = name.replace(/\/$/, '')
  const target = `${prefix}${path}/`
  checkPath(path, target)
  for (const { prefix: key } of crumbsOf(`${path}/`)) {
    await createFolder(bucket, prefix + key, target)
  }
}

/** @throws Error with a message to show. */
async function createText({ bucket, prefix }: FolderAddress, name: string): Promise<string> {
  const path = name === '' || name.slice(parentOf(name).length).includes('.') ? name : `${name}.txt`
  const key = prefix + path
  checkPath(path, key)
  await makeText(bucket, key).catch(failWith(fileChangeTexts.fileExists))
  publish(bucket, key)
  return key
}

function emptyFile(key: string): FileEntry {
  return { kind: 'file', key, name: nameOf(key), size: 0, modifiedAtMs: Date.now(), etag: '' }
}

/** Creates one level of a path, unless it exists and is not the last. */
async function createFolder(bucket: string, key: string, last: string): Promise<void> {
  if (key !== last && (await isListed(bucket, key))) return
  const failed = failWith(fileChangeTexts.create.folderExists)
  await makeFolder(bucket, key).catch((error: unknown) => {
    if (key === last || !isTaken(error)) failed(error)
  })
  publish(bucket, key)
}

function checkPath(path: string, key: string): void {
  const wrong =
    pathProblem(path) ?? (keyBytes(key) > maxKeyBytes ? fileChangeTexts.tooLong : undefined)
  if (wrong !== undefined) throw new RangeError(wrong)
}

function isTaken(error: unknown): boolean {
  return error instanceof S3Failure && error.status === 412
}

function failWith(message: string) {
  return (error: unknown): never => {
    throw isTaken(error) ? new Error(message) : error
  }
}

function publish(bucket: string, key: string): void {
  const file = emptyFile(key)
  driveChanges.publish({ type: 'added', bucket, file })
}

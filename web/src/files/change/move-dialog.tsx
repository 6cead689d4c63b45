import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useBuckets } from '../../api/service-queries.ts'
import { fileChangeTexts } from '../../texts/file-change.ts'
import { FormDialog, NameInput } from '../../ui/form-dialog.tsx'
import { messageOf } from '../../ui/messages.ts'
import type { Entry } from '../entries/entry.ts'
import { FolderPicker } from './folder-picker.tsx'
import { LinkNote } from './link-note.tsx'
import type { FolderAddress, PutMode } from './move-plan.ts'
import { putEntries, subjectOf } from './put-entries.ts'

interface MoveDialogProps {
  readonly mode: PutMode
  readonly from: FolderAddress
  readonly entries: readonly Entry[]
  readonly onClose: () => void
}

/** Asks for a folder to move or copy to. */
export function MoveDialog({ mode, from, entries, onClose }: MoveDialogProps) {
  const [target, setTarget] = useState(from)
  const [problem, setProblem] = useState<string>()
  const choose = (folder: FolderAddress) => {
    setTarget(folder)
    setProblem(undefined)
  }
  const submit = () => {
    const { prefix } = target
    const folder = {
      ...target,
      prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    }
    try {
      putEntries({ mode, bucket: from.bucket, entries }, folder)
      onClose()
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  const { copy, copyTitle, move, moveTitle } = fileChangeTexts.move
  return (
    <FormDialog
      title={(mode === 'copy' ? copyTitle : moveTitle)(subjectOf(entries))}
      action={mode === 'copy' ? copy : move}
      onSubmit={submit}
      onClose={onClose}
    >
      {mode === 'move' && <LinkNote bucket={from.bucket} entries={entries} />}
      <BucketSelect target={target} onChoose={choose} />
      <NameInput
        label={fileChangeTexts.move.folder}
        description={fileChangeTexts.move.hint}
        placeholder={fileChangeTexts.move.top}
        value={target.prefix}
        error={problem}
        onChange={(event) => choose({ ...target, prefix: event.currentTarget.value })}
      />
      <FolderPicker at={target} onPick={(prefix) => choose({ ...target, prefix })} />
    </FormDialog>
  )
}

interface BucketSelectProps {
  readonly target: FolderAddress
  readonly onChoose: (folder: FolderAddress) => void
}

function BucketSelect({ target, onChoose }: BucketSelectProps) {
  const { data } = useBuckets()
  const names = data?.buckets.map(({ name }) => name) ?? [target.bucket]
  if (names.length < 2) return null
  return (
    <NativeSelect
      label={fileChangeTexts.move.bucket}
      data={names}
      value={target.bucket}
      onChange={(event) => onChoose({ bucket: event.currentTarget.value, prefix: '' })}
    />
  )
}

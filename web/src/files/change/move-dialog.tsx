import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useBuckets } from '../../api/service-queries.ts'
import { formatCount } from '../../format/bytes.ts'
import { FormDialog, NameInput } from '../../ui/form-dialog.tsx'
import type { Entry } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { jobs } from '../transfers/transfers.ts'
import { moveJob } from './drive-work.ts'
import { FolderPicker } from './folder-picker.tsx'
import {
  type FolderAddress,
  folderLabel,
  type MoveObstacle,
  moveTo,
  obstacleOf,
} from './move-plan.ts'

interface MoveDialogProps {
  readonly from: FolderAddress
  readonly entries: readonly Entry[]
  readonly onClose: () => void
}

const problems: Readonly<Record<Exclude<MoveObstacle, undefined>, string>> = {
  'same-folder': 'This is the current folder. Choose another one.',
  'into-itself': 'A folder cannot be moved into itself.',
  'too-long': 'The resulting path would be too long.',
}

export function MoveDialog({ from, entries, onClose }: MoveDialogProps) {
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
    const moves = entries.map((entry) => moveTo(entry, from.bucket, folder))
    const obstacle = moves.map(obstacleOf).find((found) => found !== undefined)
    if (obstacle !== undefined) return setProblem(problems[obstacle])
    const title = `Moving ${subjectOf(entries)} to ${folderLabel(folder)}`
    void jobs.start(moveJob(title, moves))
    onClose()
  }
  return (
    <FormDialog
      title={`Move ${subjectOf(entries)}`}
      action="Move"
      onSubmit={submit}
      onClose={onClose}
    >
      <BucketSelect target={target} onChoose={choose} />
      <NameInput
        label="Folder"
        description="Choose a folder below or type a path. A new folder is created."
        placeholder="Top of the bucket"
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
      label="Bucket"
      data={names}
      value={target.bucket}
      onChange={(event) => onChoose({ bucket: event.currentTarget.value, prefix: '' })}
    />
  )
}

function subjectOf(entries: readonly Entry[]): string {
  const [first] = entries
  return entries.length === 1 && first !== undefined
    ? `“${visibleName(first.name)}”`
    : `${formatCount(entries.length)} items`
}

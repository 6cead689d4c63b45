import { Alert } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fileChangeTexts } from '../../texts/file-change.ts'
import { FormDialog, NameInput } from '../../ui/form-dialog.tsx'
import { failureOf } from '../../ui/messages.ts'
import { type Entry, parentOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { jobs } from '../transfers/transfers.ts'
import { clashesOf, placeEntries } from './file-changes.ts'
import { hasAnything } from './folder-contents.ts'
import { LinkNote } from './link-note.tsx'
import { type Move, obstacleOf, renameTo } from './move-plan.ts'
import { nameProblem } from './name-problem.ts'
import { useSpacesQuestion } from './use-spaces-question.tsx'

interface RenameDialogProps {
  readonly bucket: string
  readonly entry: Entry
  readonly onClose: () => void
}

export function RenameDialog({ bucket, entry, onClose }: RenameDialogProps) {
  const texts = fileChangeTexts.rename
  const [name, setName] = useState(entry.name)
  /** The name of an existing folder, once it has been submitted. */
  const [mergesInto, setMergesInto] = useState<string>()
  const isMerging = mergesInto === name
  const { isAsking, asks, question } = useSpacesQuestion(name, setName)
  const { mutate, isPending, error } = useMutation({
    networkMode: 'always',
    // This may be the function of the previous render, so the name just entered is passed as an argument.
    mutationFn: async (entered: string) => {
      if (entered === entry.name) return onClose()
      const move = checkedMove(entry, bucket, entered)
      const isAsked = entry.kind === 'file' || mergesInto === entered
      if (!isAsked && (await hasAnything(bucket, move.to))) return setMergesInto(entered)
      await rename(move, entered)
      onClose()
    },
  })
  return (
    <FormDialog
      title={texts.title(visibleName(entry.name))}
      action={isMerging ? texts.merge : isAsking ? texts.withSpaces : texts.action}
      isBusy={isPending}
      onSubmit={() => {
        if (name === entry.name || !asks()) mutate(name)
      }}
      onClose={onClose}
    >
      <NameInput
        label={texts.name}
        value={name}
        error={error?.message}
        onChange={(event) => setName(event.currentTarget.value)}
        onFocus={(event) => selectStem(event.currentTarget, entry)}
      />
      {question}
      <LinkNote bucket={bucket} entries={[entry]} />
      {isMerging && (
        <Alert color="yellow" variant="light">
          {texts.mergeText}
        </Alert>
      )}
    </FormDialog>
  )
}

/** Selects the name without its extension, which rarely changes. */
function selectStem(input: HTMLInputElement, { kind, name }: Entry): void {
  const dot = name.lastIndexOf('.')
  input.setSelectionRange(0, kind === 'file' && dot > 0 ? dot : name.length)
}

/** @throws RangeError with a message to show if the name is invalid. */
function checkedMove(entry: Entry, bucket: string, name: string): Move {
  const move = renameTo(entry, bucket, name)
  const isTooLong = obstacleOf(move) === 'too-long'
  const wrong = nameProblem(name) ?? (isTooLong ? fileChangeTexts.tooLong : undefined)
  if (wrong !== undefined) throw new RangeError(wrong)
  return move
}

/** Renaming a tree may take long and continues in the transfers. @throws Error if a file was not renamed. */
async function rename({ entry, fromBucket: bucket }: Move, name: string): Promise<void> {
  const to = { bucket, prefix: parentOf(entry.key), name }
  const placed = { mode: 'move', bucket, entries: [entry], to } as const
  const taken = new Error(fileChangeTexts.fileExists)
  if (entry.kind === 'folder') {
    placeEntries(placed).catch(failureOf(fileChangeTexts.rename.failure))
    return
  }
  if ((await clashesOf(placed)).clashes.length > 0) throw taken
  const job = await placeEntries(placed)
  if (job === undefined || (job.state === 'done' && job.problems.length === 0)) return
  jobs.dismiss(job.id)
  throw job.problems.length > 0 ? taken : new Error(job.outcome)
}

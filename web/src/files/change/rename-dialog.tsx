import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Entry } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { jobs } from '../transfers/transfers.ts'
import { hasAnything, moveJob } from './drive-work.ts'
import { type Move, nameProblem, obstacleOf, renameTo } from './move-plan.ts'

interface RenameDialogProps {
  readonly bucket: string
  readonly entry: Entry
  readonly onClose: () => void
}

export function RenameDialog({ bucket, entry, onClose }: RenameDialogProps) {
  const [name, setName] = useState(entry.name)
  const rename = useRename({ bucket, entry, onClose })
  const isMerging = rename.mergesInto === name
  return (
    <Modal opened onClose={onClose} title={`Rename “${visibleName(entry.name)}”`} centered>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void rename.submit(name)
        }}
      >
        <Stack>
          <TextInput
            label="New name"
            data-autofocus
            value={name}
            error={rename.problem}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
            onFocus={(event) => selectStem(event.currentTarget, entry)}
          />
          {isMerging && (
            <Alert color="yellow" variant="light">
              A folder with this name already exists. The contents of this folder are moved into it.
              You are asked before any file is replaced.
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isBusy}>
              {isMerging ? 'Merge' : 'Rename'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Selects the name without its extension, which rarely changes. */
function selectStem(input: HTMLInputElement, { kind, name }: Entry): void {
  const dot = name.lastIndexOf('.')
  input.setSelectionRange(0, kind === 'file' && dot > 0 ? dot : name.length)
}

interface Rename {
  readonly problem: string | undefined
  readonly isBusy: boolean
  /** The name of an existing folder, once it has been submitted. */
  readonly mergesInto: string | undefined
  readonly submit: (name: string) => Promise<void>
}

function useRename({ bucket, entry, onClose }: RenameDialogProps): Rename {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const [mergesInto, setMergesInto] = useState<string>()
  const submit = async (name: string) => {
    if (isBusy) return
    if (name === entry.name) return onClose()
    const move = renameTo(entry, bucket, name)
    const wrong = problemOfName(move, name)
    setProblem(wrong)
    if (wrong !== undefined) return
    setIsBusy(true)
    try {
      const isAsked = entry.kind === 'file' || mergesInto === name
      if (!isAsked && (await hasAnything(bucket, move.to))) setMergesInto(name)
      else {
        await rename(entry, move, name)
        onClose()
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setIsBusy(false)
    }
  }
  return { problem, isBusy, mergesInto, submit }
}

function problemOfName(move: Move, name: string): string | undefined {
  const isTooLong = obstacleOf(move) === 'too-long'
  return nameProblem(name) ?? (isTooLong ? 'The path is too long.' : undefined)
}

/** A tree may take long and continues in the transfers. @throws Error if a file was not renamed. */
async function rename(entry: Entry, move: Move, name: string): Promise<void> {
  const title = `Renaming “${visibleName(entry.name)}” to “${visibleName(name)}”`
  const running = jobs.start(moveJob(title, [{ entry, move }], entry.kind === 'folder'))
  if (entry.kind === 'folder') return
  const { id, state, problems, outcome } = await running
  jobs.dismiss(id)
  if (problems.length > 0) throw new Error('A file with this name already exists.')
  if (state !== 'done') throw new Error(outcome)
}

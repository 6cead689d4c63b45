import { Button, Group, Modal, ScrollArea, Stack } from '@mantine/core'
import { formatCount } from '../../format/bytes.ts'
import { NameText } from '../entries/name-text.tsx'
import type { ClashAnswer } from './clash-names.ts'
import classes from './name-list.module.css'

interface ShownClash {
  readonly key: string
  /** Sizes and dates of both files, if known. */
  readonly details?: readonly string[]
}

interface ClashDialogProps {
  readonly clashes: readonly ShownClash[]
  readonly onAnswer: (answer: ClashAnswer) => void
  readonly onClose: () => void
}

const shownNames = 50

/** Asks what to do about name conflicts. */
export function ClashDialog({ clashes, onAnswer, onClose }: ClashDialogProps) {
  const title =
    clashes.length === 1
      ? 'A file with this name already exists'
      : `${formatCount(clashes.length)} files with these names already exist`
  return (
    <Modal opened onClose={onClose} title={title} centered>
      <Stack>
        <ScrollArea.Autosize mah={260} className={classes.frame ?? ''}>
          <ul className={classes.names}>
            {clashes.slice(0, shownNames).map(({ key, details = [] }) => (
              <li key={key}>
                <NameText name={key} />
                {details.map((detail) => (
                  <div key={detail} className={classes.detail}>
                    {detail}
                  </div>
                ))}
              </li>
            ))}
            {clashes.length > shownNames && (
              <li>and {formatCount(clashes.length - shownNames)} more</li>
            )}
          </ul>
        </ScrollArea.Autosize>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => onAnswer('skip')}>
            Skip
          </Button>
          <Button color="red" variant="light" onClick={() => onAnswer('replace')}>
            Replace
          </Button>
          <Button data-autofocus onClick={() => onAnswer('keep-both')}>
            Keep both
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

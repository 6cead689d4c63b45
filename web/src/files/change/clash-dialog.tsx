import { Button, Group, Modal, ScrollArea, Stack } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../../format/bytes.ts'
import { NameText } from '../entries/name-text.tsx'
import { clashQuestions } from '../transfers/transfers.ts'
import classes from './name-list.module.css'

const shownNames = 50

/** Asks what to do about name conflicts of uploads and moves. */
export function ClashDialog() {
  const question = useSyncExternalStore(clashQuestions.subscribe, clashQuestions.snapshot)
  if (question === undefined) return null
  const { clashes, answer } = question
  const title =
    clashes.length === 1
      ? 'A file with this name already exists'
      : `${formatCount(clashes.length)} files with these names already exist`
  return (
    <Modal opened onClose={() => answer(undefined)} title={title} centered>
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
          <Button variant="default" onClick={() => answer('skip')}>
            Skip
          </Button>
          <Button color="red" variant="light" onClick={() => answer('replace')}>
            Replace
          </Button>
          <Button data-autofocus onClick={() => answer('keep-both')}>
            Keep both
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

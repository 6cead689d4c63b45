import { Button, Group, Modal, ScrollArea, Stack, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../format/bytes.ts'
import classes from './name-list.module.css'
import { NameText } from './name-text.tsx'
import { intake } from './transfers.ts'
import type { IntakeStage } from './upload-intake.ts'

const shownNames = 50

/** What has to be known before uploads begin: how names that are taken are dealt with. */
export function UploadAsker() {
  const stage = useSyncExternalStore(intake.subscribe, intake.snapshot)
  const cancel = () => intake.cancel()
  return (
    <>
      <Modal
        opened={stage?.type === 'reading' && stage.found > 2_000}
        onClose={cancel}
        title="Reading folders"
        centered
      >
        <Group justify="space-between">
          <Text role="status">
            {formatCount(stage?.type === 'reading' ? stage.found : 0)} files so far
          </Text>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      </Modal>
      {stage?.type === 'asking' && <ClashDialog stage={stage} />}
    </>
  )
}

function ClashDialog({ stage }: { readonly stage: Extract<IntakeStage, { type: 'asking' }> }) {
  const { clashes, answer } = stage
  const title =
    clashes.length === 1
      ? 'There is a file of this name already'
      : `${formatCount(clashes.length)} files of these names are there already`
  return (
    <Modal opened onClose={() => answer(undefined)} title={title} centered>
      <Stack>
        <ScrollArea.Autosize mah={180} className={classes.frame ?? ''}>
          <ul className={classes.names}>
            {clashes.slice(0, shownNames).map((key) => (
              <li key={key}>
                <NameText name={key} />
              </li>
            ))}
            {clashes.length > shownNames && (
              <li>and {formatCount(clashes.length - shownNames)} more</li>
            )}
          </ul>
        </ScrollArea.Autosize>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => answer('skip')}>
            {clashes.length === 1 ? 'Skip it' : 'Skip these'}
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

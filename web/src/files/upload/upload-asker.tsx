import { Button, Group, Modal, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../../format/bytes.ts'
import { ClashDialog } from '../change/clash-dialog.tsx'
import { intake } from '../transfers/transfers.ts'

/** Asks about name conflicts before uploads start. */
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
      {stage?.type === 'asking' && (
        <ClashDialog
          clashes={stage.clashes.map((key) => ({ key }))}
          onAnswer={stage.answer}
          onClose={() => stage.answer(undefined)}
        />
      )}
    </>
  )
}

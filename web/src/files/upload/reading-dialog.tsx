import { Button, Group, Modal, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../../format/bytes.ts'
import { intake } from '../transfers/transfers.ts'

/** Small drops are read before a dialog could be noticed. */
const shownFrom = 2_000

/** The progress of reading dropped folders. */
export function ReadingDialog() {
  const found = useSyncExternalStore(intake.subscribe, intake.snapshot)
  const cancel = () => intake.cancel()
  return (
    <Modal opened={found > shownFrom} onClose={cancel} title="Reading folders" centered>
      <Group justify="space-between">
        <Text role="status">{formatCount(found)} files so far</Text>
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </Modal>
  )
}

import { Button, Group, Modal, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../../format/bytes.ts'
import { frameTexts } from '../../texts/frame.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { intake } from '../transfers/transfers.ts'

/** Small drops are read before a dialog could be noticed. */
const shownFrom = 2_000

/** The progress of reading dropped folders. */
export function ReadingDialog() {
  const found = useSyncExternalStore(intake.subscribe, intake.snapshot)
  const cancel = () => intake.cancel()
  return (
    <Modal opened={found > shownFrom} onClose={cancel} title={transfersTexts.reading} centered>
      <Group justify="space-between">
        <Text role="status">{transfersTexts.found(formatCount(found))}</Text>
        <Button variant="default" onClick={cancel}>
          {frameTexts.cancel}
        </Button>
      </Group>
    </Modal>
  )
}

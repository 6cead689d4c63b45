import { Button, Group, Modal, Text } from '@mantine/core'
import { formatCount } from '../../format/bytes.ts'
import { frameTexts } from '../../texts/frame.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { intake } from '../transfers/transfers.ts'

/** The progress of reading dropped folders. */
export function ReadingDialog({ found }: { readonly found: number }) {
  const cancel = () => intake.cancel()
  return (
    <Modal opened onClose={cancel} title={transfersTexts.reading} centered>
      <Group justify="space-between">
        <Text role="status">{transfersTexts.found(formatCount(found))}</Text>
        <Button variant="default" onClick={cancel}>
          {frameTexts.cancel}
        </Button>
      </Group>
    </Modal>
  )
}

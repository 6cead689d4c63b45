import { Kbd, Modal, Table } from '@mantine/core'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={filesDialogsTexts.help.title} centered>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {filesDialogsTexts.help.keys.map(([keys, what]) => (
            <Table.Tr key={keys}>
              <Table.Td w={170}>
                <Kbd>{keys}</Kbd>
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}

import { FocusTrap, Modal, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { sizeOfTree } from '../change/drive-work.ts'
import type { FolderEntry } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { s3Uri } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { DetailList } from './detail-list.tsx'

interface FolderDetailsDialogProps {
  readonly bucket: string
  readonly folder: FolderEntry
  readonly onClose: () => void
}

export function FolderDetailsDialog({ bucket, folder, onClose }: FolderDetailsDialogProps) {
  const { data, error } = useQuery({
    queryKey: ['tree-size', bucket, folder.key],
    queryFn: ({ signal }) => sizeOfTree(bucket, folder.key, signal),
  })
  const uri = s3Uri(bucket, folder.key)
  const more = data?.isMore === true ? 'More than ' : ''
  const waiting = error === null ? 'Counting…' : error.message
  return (
    <Modal opened onClose={onClose} title={`Folder “${visibleName(folder.name)}”`} centered>
      <FocusTrap.InitialFocus />
      <Stack>
        <DetailList
          details={[
            [
              'S3 address',
              <NameText key="uri" name={uri} />,
              <CopyButton key="copy" text={uri} what="S3 address" />,
            ],
            ['Objects', data === undefined ? waiting : more + formatCount(data.objects)],
            ['Size', data === undefined ? waiting : more + formatBytes(data.bytes)],
          ]}
        />
      </Stack>
    </Modal>
  )
}

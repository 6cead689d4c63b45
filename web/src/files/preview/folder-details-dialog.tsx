import { FocusTrap, Modal, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import { sizeOfTree } from '../change/drive-work.ts'
import type { FolderEntry } from '../entries/entry.ts'
import { s3Uri } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { copyable, DetailList } from './detail-list.tsx'

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
  const more = data?.isMore === true ? 'More than ' : ''
  const waiting = error === null ? 'Counting…' : error.message
  return (
    <Modal opened onClose={onClose} title={`Folder “${visibleName(folder.name)}”`} centered>
      <FocusTrap.InitialFocus />
      <Stack>
        <DetailList
          details={[
            copyable('S3 address', s3Uri(bucket, folder.key)),
            ['Objects', data === undefined ? waiting : more + formatCount(data.objects)],
            ['Size', data === undefined ? waiting : more + formatBytes(data.bytes)],
          ]}
        />
      </Stack>
    </Modal>
  )
}

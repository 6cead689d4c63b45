import { useDisclosure } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import type { UploadStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { formatBytes } from '../../format/bytes.ts'
import { activityTexts } from '../../texts/activity.ts'
import { Rich } from '../../texts/rich.tsx'
import { Age } from '../../ui/age.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Row } from '../../ui/row-list.tsx'
import { useAction } from '../../ui/use-action.ts'

export function OpenUploadRow({ upload }: { readonly upload: UploadStatus }) {
  const [isAsked, { open, close }] = useDisclosure(false)
  const { bucket, key, uploadId, parts, bytes, lastPartAt, expiresAt } = upload
  const { mutate, isPending } = useAction({
    method: 'DELETE',
    path: `/-/api/uploads/${encodeURIComponent(uploadId)}`,
    failure: activityTexts.uploads.abortFailure(key),
    refreshes: 'uploads',
  })
  return (
    <Row
      title={`${bucket}/${key}`}
      detail={
        <Rich
          text={activityTexts.uploads.progress(
            formatBytes(bytes),
            activityTexts.uploads.parts(parts),
          )}
          marks={{ last: () => <Age at={lastPartAt} />, end: () => <Age at={expiresAt} /> }}
        />
      }
      actions={
        <>
          <IconButton label={activityTexts.uploads.abortOf(key)} color="red" onClick={open}>
            <IconX size={16} />
          </IconButton>
          <Confirm
            isOpen={isAsked}
            title={activityTexts.uploads.abortAsk}
            action={activityTexts.uploads.abort}
            isBusy={isPending}
            onConfirm={() => mutate(undefined, { onSettled: close })}
            onClose={close}
          >
            <Rich text={activityTexts.uploads.abortText(formatBytes(bytes), key)} />
          </Confirm>
        </>
      }
    />
  )
}

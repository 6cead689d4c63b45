import { useDisclosure } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import type { UploadStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { formatAmount, formatBytes } from '../../format/bytes.ts'
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
    failure: `The upload of ${key} could not be aborted`,
    refreshes: 'uploads',
  })
  return (
    <Row
      title={`${bucket}/${key}`}
      detail={
        <>
          {formatBytes(bytes)} in {formatAmount(parts, 'part')}, last part <Age at={lastPartAt} />.
          Deleted <Age at={expiresAt} /> unless another part arrives.
        </>
      }
      actions={
        <>
          <IconButton label={`Abort the upload of ${key}`} color="red" onClick={open}>
            <IconX size={16} />
          </IconButton>
          <Confirm
            isOpen={isAsked}
            title="Abort this upload?"
            action="Abort the upload"
            isBusy={isPending}
            onConfirm={() => mutate(undefined, { onSettled: close })}
            onClose={close}
          >
            The {formatBytes(bytes)} of <b>{key}</b> uploaded so far will be deleted. A client that
            is still uploading gets an error.
          </Confirm>
        </>
      }
    />
  )
}

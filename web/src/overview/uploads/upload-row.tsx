import { ActionIcon } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UploadStatus } from '../../../../src/console/management/replies.ts'
import { request } from '../../api/client.ts'
import { formatAmount, formatBytes } from '../../format/bytes.ts'
import { Age } from '../../ui/age.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { failureOf } from '../../ui/messages.ts'
import { Row } from '../../ui/row-list.tsx'

export function UploadRow({ upload }: { readonly upload: UploadStatus }) {
  const [isAsked, { open, close }] = useDisclosure(false)
  const { mutate, isPending } = useAbort(upload, close)
  const { bucket, key, parts, bytes, lastPartAt, expiresAt } = upload
  const label = `Abort the upload of ${key}`
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
          <ActionIcon variant="subtle" color="red" aria-label={label} title={label} onClick={open}>
            <IconX size={16} />
          </ActionIcon>
          <Confirm
            isOpen={isAsked}
            title="Abort this upload?"
            action="Abort the upload"
            isBusy={isPending}
            onConfirm={mutate}
            onClose={close}
          >
            The {formatBytes(bytes)} of <b>{key}</b> uploaded so far are deleted. A client that is
            still uploading gets an error.
          </Confirm>
        </>
      }
    />
  )
}

function useAbort({ uploadId, key }: UploadStatus, onSettled: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () =>
      request(`/-/api/uploads/${encodeURIComponent(uploadId)}`, { method: 'DELETE' }),
    onError: failureOf(`The upload of ${key} could not be aborted`),
    onSettled: () => {
      onSettled()
      return queries.invalidateQueries({ queryKey: ['uploads'] })
    },
  })
}

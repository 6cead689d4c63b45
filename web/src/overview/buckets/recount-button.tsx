import { ActionIcon, Loader } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BucketStatus } from '../../../../src/console/management/replies.ts'
import { request } from '../../api/client.ts'
import { failureOf } from '../../ui/messages.ts'

export function RecountButton({ bucket }: { readonly bucket: BucketStatus }) {
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => request(`/-/api/buckets/${bucket.name}/count`, { method: 'POST' }),
    onError: failureOf(`${bucket.name} could not be counted`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['buckets'] }),
  })
  const isBusy = isPending || bucket.isCounting
  const label = `Recount ${bucket.name}`
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      aria-disabled={isBusy}
      onClick={() => {
        if (!isBusy) mutate()
      }}
    >
      {isBusy ? <Loader size={14} color="gray" aria-hidden /> : <IconRefresh size={16} />}
    </ActionIcon>
  )
}

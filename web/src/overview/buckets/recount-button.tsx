import { Loader } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { BucketStatus } from '../../../../src/console/management/replies.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useAction } from '../../ui/use-action.ts'

export function RecountButton({ bucket }: { readonly bucket: BucketStatus }) {
  const { mutate, isPending } = useAction({
    method: 'POST',
    path: `/-/api/buckets/${bucket.name}/count`,
    failure: `${bucket.name} could not be counted`,
    refreshes: 'buckets',
  })
  const isBusy = isPending || bucket.isCounting
  return (
    <IconButton
      label={`Recount ${bucket.name}`}
      aria-disabled={isBusy}
      onClick={() => {
        if (!isBusy) mutate()
      }}
    >
      {isBusy ? <Loader size={14} color="gray" aria-hidden /> : <IconRefresh size={16} />}
    </IconButton>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import type {
  BucketStatus,
  BucketsReply,
} from '../../../src/dashboard/management/management-schemas.ts'
import { useChange } from '../ui/use-action.ts'

/** Creates, changes or removes a bucket. */
export function useBucketAction(onSuccess: (status: BucketStatus | undefined) => void) {
  const queries = useQueryClient()
  return useChange<BucketStatus | undefined>(
    { base: '/-/api/buckets', refreshes: 'buckets' },
    {
      onSuccess(status) {
        // What was saved is shown at once, without waiting for the list.
        queries.setQueryData<BucketsReply>(['buckets'], (reply) => {
          if (reply === undefined || status === undefined) return reply
          const isKnown = reply.buckets.some(({ name }) => name === status.name)
          const replaced = reply.buckets.map((one) => (one.name === status.name ? status : one))
          return { ...reply, buckets: isKnown ? replaced : [...reply.buckets, status] }
        })
        onSuccess(status)
      },
    },
  )
}

import { useChange } from '../ui/use-action.ts'

/** Creates, changes or removes a bucket. */
export function useBucketAction(onSuccess: () => void) {
  return useChange({ base: '/-/api/buckets', refreshes: 'buckets' }, { onSuccess })
}

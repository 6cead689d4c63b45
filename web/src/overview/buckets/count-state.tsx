import type { BucketStatus } from '../../../../src/console/management/replies.ts'
import { Age } from '../../ui/age.tsx'

/** As of when the figures of a bucket are, and why there are none. */
export function CountState({ bucket }: { readonly bucket: BucketStatus }) {
  const { countedAt, isCounting, problem } = bucket
  if (isCounting) {
    return <span role="status">{countedAt === null ? 'counting…' : 'recounting…'}</span>
  }
  if (problem !== null) return <span>not counted: {problem}</span>
  if (countedAt === null) return <span>not counted yet</span>
  return (
    <span>
      counted <Age at={countedAt} />
    </span>
  )
}

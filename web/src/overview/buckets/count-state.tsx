import type { BucketStatus } from '../../../../src/console/management/replies.ts'
import { Age } from '../../ui/age.tsx'

/** When a bucket was counted, or why it has no figures. */
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

import { Badge } from '@mantine/core'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import { accessByPolicy, publicAccess } from '../api/public-access.ts'
import { useStatus } from '../api/service-queries.ts'
import { bucketsTexts } from '../texts/buckets.ts'

/** Marks a public bucket, or one that a policy opens. */
export function PublicBadge({
  bucket: { isPublic, openByPolicy },
}: {
  readonly bucket: Pick<BucketStatus, 'isPublic' | 'openByPolicy'>
}) {
  const status = useStatus().data
  const title = isPublic ? publicAccess(status) : accessByPolicy(openByPolicy)
  if (title === '') return null
  return (
    <Badge variant="light" color="orange" size="sm" tt="none" title={title}>
      {isPublic ? bucketsTexts.public : bucketsTexts.publicByPolicy}
    </Badge>
  )
}

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
  if (isPublic) return <OpenToAll />
  const title = accessByPolicy(openByPolicy)
  return title === '' ? null : <AccessBadge label={bucketsTexts.publicByPolicy} title={title} />
}

/** Requests the settings only if there is a public bucket. */
function OpenToAll() {
  return <AccessBadge label={bucketsTexts.public} title={publicAccess(useStatus().data)} />
}

function AccessBadge({ label, title }: { readonly label: string; readonly title: string }) {
  return (
    <Badge variant="light" color="orange" size="sm" tt="none" data-tip={title}>
      {label}
    </Badge>
  )
}

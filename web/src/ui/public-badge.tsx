import { Badge } from '@mantine/core'
import { publicAccess } from '../api/public-access.ts'
import { useStatus } from '../api/service-queries.ts'

/** Marks a public bucket. */
export function PublicBadge() {
  const title = publicAccess(useStatus().data)
  return (
    <Badge variant="light" color="orange" size="sm" tt="none" title={title}>
      Public
    </Badge>
  )
}

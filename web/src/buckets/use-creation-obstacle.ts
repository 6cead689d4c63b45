import { useStatus } from '../api/service-queries.ts'
import { bucketsTexts } from '../texts/buckets.ts'

/** Why buckets cannot be created, and what to change; undefined if they can. New buckets are on the default drive. */
export function useCreationObstacle(): string | undefined {
  const [drive] = useStatus().data?.drives ?? []
  if (drive?.isReadOnly !== true) return undefined
  return bucketsTexts.obstacle
}

import { useSyncExternalStore } from 'react'
import { filesTexts } from '../../texts/files.ts'
import { failureOf } from '../../ui/messages.ts'
import type { Entry } from '../entries/entry.ts'
import { stars } from './star-store.ts'

/** Whether all entries are starred. */
export function areStarred(bucket: string, entries: readonly Entry[]): boolean {
  const all = stars.snapshot()
  return entries.every((entry) => all.has(`${entry.bucket ?? bucket}/${entry.key}`))
}

/** Whether an entry of a row is starred. */
export function useIsStarred(bucket: string, key: string): boolean {
  return useSyncExternalStore(stars.subscribe, () => stars.snapshot().has(`${bucket}/${key}`))
}

/** Stars entries of one bucket, or removes their stars if all have one. */
export function toggleStars(bucket: string, entries: readonly Entry[], onEnd: () => void): void {
  const keys = entries.map(({ key }) => key)
  stars
    .set(bucket, keys, !areStarred(bucket, entries))
    .catch(failureOf(filesTexts.starFailure))
    .finally(onEnd)
}

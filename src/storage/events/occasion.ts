import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventName } from '../buckets/notification-rules.ts'

/** Why and by whom objects are changed: what an event says beside the object. */
export interface Occasion {
  readonly principalId: string
  readonly sourceIp: string
  /** '' if no request changes it. */
  readonly requestId: string
  /** The event of a new object, if the calls of the drive do not show it. */
  readonly created?: EventName | undefined
  readonly removed?: EventName | undefined
}

/** Lifecycle rules, in AWS's words. */
export const expiryOccasion: Occasion = {
  principalId: 's3.amazonaws.com',
  sourceIp: 's3.amazonaws.com',
  requestId: '',
  removed: 'LifecycleExpiration:Delete',
}

const occasions = new AsyncLocalStorage<Occasion>()

/** Runs `work`, whose changes happen on this occasion. */
export function during<Result>(occasion: Occasion, work: () => Result): Result {
  return occasions.run(occasion, work)
}

/** Undefined for work that nobody asked for by S3, such as a deletion of the dashboard. */
export function currentOccasion(): Occasion | undefined {
  return occasions.getStore()
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventName } from '../buckets/notification-rules.ts'

/** Who changes objects and why: what an event says besides the object. */
export interface EventContext {
  readonly principalId: string
  readonly sourceIp: string
  /** '' if the change was not made by a request. */
  readonly requestId: string
  /** The event of a new object, if the calls of the drive do not show it. */
  readonly created?: EventName | undefined
  /** Whether a lifecycle rule removes objects. */
  readonly isExpiry?: true
}

/** Lifecycle rules, in AWS's words. */
export const expiryContext: EventContext = {
  principalId: 's3.amazonaws.com',
  sourceIp: 's3.amazonaws.com',
  requestId: '',
  isExpiry: true,
}

const contexts = new AsyncLocalStorage<EventContext>()

/** Runs `work`; the events of its changes get this context. */
export function withEventContext<Result>(context: EventContext, work: () => Result): Result {
  return contexts.run(context, work)
}

/** Undefined for work that no S3 request started, such as a deletion in the dashboard. */
export function currentEventContext(): EventContext | undefined {
  return contexts.getStore()
}

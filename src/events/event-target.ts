import type { TargetName } from '../buckets/notification-rules.ts'

/** A receiver of events. */
export interface EventTarget {
  readonly name: TargetName
  /**
   * Resolves when the receiver has accepted the message.
   *
   * @throws an error whose message is for people, without addresses and passwords.
   */
  send(message: string, signal: AbortSignal): Promise<void>
  close(): void
}

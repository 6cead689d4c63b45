import type { TargetName } from '../buckets/notification-rules.ts'

/** A receiver of events. */
export interface EventTarget {
  readonly name: TargetName
  /**
   * Resolves when the receiver has accepted the message.
   *
   * @throws RefusedEvent, or an error that other messages would meet, too. The text is for people, without addresses
   *   and passwords.
   */
  send(message: string, signal: AbortSignal): Promise<void>
  close(): void
}

/** The receiver does not want this message. It may accept others. */
export class RefusedEvent extends Error {}

import type { Call, CallKind, Reply } from './call.ts'
import type { BodyFault, BodyPlace } from './call-body.ts'
import { type FaultName, faultEffects } from './fault-effects.ts'

/** A fault that is to strike. */
export interface FaultRule {
  /** The kind of call that it strikes. */
  readonly on: CallKind | readonly CallKind[] | 'any'
  readonly do: FaultName
  /** Lets so many calls of the kind pass first. */
  readonly after?: number
  /** Strikes so often; once, unless told otherwise. */
  readonly times?: number
  /** Where in a body, for faults that have to do with one; in the middle, unless told. Or the speed. */
  readonly bytes?: number
  /** For `run` and `run-after-commit`: what a test does before the call is carried out, or after. */
  readonly run?: (call: Call) => void | Promise<void>
}

/** What a fault does at the stages of a call. */
export interface FaultEffect {
  readonly body?: BodyFault
  /** When the body was cut. */
  readonly onCut?: (call: Call) => void
  /** Before the call is looked at. It may throw a refusal, or a DroppedConnection. */
  readonly before?: (call: Call) => void | Promise<void>
  /** Once the call has had its effect. */
  readonly after?: (call: Call, reply: Reply) => void | Promise<void>
  readonly reply?: ReplyFault
}

export interface ReplyFault {
  /** Closes the connection after so many bytes of the reply's body, or at its end. */
  readonly cutAfterBytes?: BodyPlace
  /** One bit arrives wrong. */
  readonly isDamaged?: boolean
  readonly bytesPerSecond?: number
}

export interface Strike {
  readonly kind: CallKind
  readonly fault: FaultName
}

interface Pending {
  readonly rule: FaultRule
  passing: number
  left: number
}

/** The faults that tests asked for, in the order in which they strike. */
export class Faults {
  /** Those that struck. */
  readonly struck: Strike[] = []
  #pending: Pending[] = []

  /** Asks for a fault. Rules that match the same call strike one after the other. */
  next(rule: FaultRule): void {
    this.#pending.push({ rule, passing: rule.after ?? 0, left: rule.times ?? 1 })
  }

  /** Whether every fault that was asked for has struck. */
  get isSpent(): boolean {
    return this.#pending.length === 0
  }

  /** What has not struck does not any more. */
  stop(): void {
    this.#pending = []
  }

  clear(): void {
    this.stop()
    this.struck.length = 0
  }

  /** For the emulator: what happens to a call that arrives now. */
  take(kind: CallKind): FaultEffect {
    const pending = this.#pending.find((candidate) => isFor(candidate, kind))
    if (pending === undefined) return {}
    pending.left--
    if (pending.left <= 0) this.#pending = this.#pending.filter((other) => other !== pending)
    this.struck.push({ kind, fault: pending.rule.do })
    return faultEffects[pending.rule.do].effect(pending.rule)
  }
}

function isFor(pending: Pending, kind: CallKind): boolean {
  const { on } = pending.rule
  const isKind = on === 'any' || on === kind || (Array.isArray(on) && on.includes(kind))
  if (!isKind) return false
  if (pending.passing === 0) return true
  pending.passing--
  return false
}

import type { CallKind } from './call-kinds.ts'
import { type FaultEffect, type FaultName, type FaultRule, faultEffects } from './fault-effects.ts'

export interface Strike {
  readonly kind: CallKind
  readonly fault: FaultName
}

interface Pending {
  readonly rule: FaultRule
  passing: number
  left: number
}

/** The faults to inject, in order. */
export class Faults {
  /** Those that occurred. */
  readonly struck: Strike[] = []
  #pending: Pending[] = []

  /** Adds a fault. Rules for the same kind of call apply one after the other. */
  next(rule: FaultRule): void {
    this.#pending.push({ rule, passing: rule.after ?? 0, left: rule.times ?? 1 })
  }

  /** Whether all faults have occurred. */
  get isSpent(): boolean {
    return this.#pending.length === 0
  }

  /** Removes the faults that have not occurred. */
  stop(): void {
    this.#pending = []
  }

  clear(): void {
    this.stop()
    this.struck.length = 0
  }

  /** For the emulator: the effect on a call that arrives now. */
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

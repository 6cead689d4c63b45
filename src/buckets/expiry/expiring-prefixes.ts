import { compareKeys, sortKeys } from '../../drives/key-order.ts'
import type { LifecycleRule } from '../lifecycle-rules.ts'

/**
 * The prefixes to list for all objects that rules may expire: in key order, none inside another, without
 * those whose keys are all before `after`.
 */
export function expiringPrefixes(rules: readonly LifecycleRule[], after: string): string[] {
  const wanted = rules
    .filter((rule) => rule.isEnabled && (rule.days ?? rule.dateMs) !== undefined)
    .map(({ prefix }) => prefix)
  const prefixes: string[] = []
  for (const prefix of sortKeys([...new Set(wanted)])) {
    const last = prefixes.at(-1)
    // A prefix is directly followed by the prefixes inside it.
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix)
  }
  return prefixes.filter((prefix) => after.startsWith(prefix) || compareKeys(prefix, after) > 0)
}

import type { FieldWarning } from '../../../src/models/routing/routing-schemas.ts'
import { isWithin } from './forms/field-spec.ts'

/**
 * Messages about a field and its subfields: `combos[2]` includes those of `combos[2].models[0]`.
 */
export function warningsAt(warnings: readonly FieldWarning[], field: string): readonly string[] {
  return warnings.filter((warning) => isWithin(warning.field, field)).map(({ message }) => message)
}

/** The field of an alias, which is named by the JSON path of its key. */
export function aliasField(name: string): string {
  const isIdentifier = /^[A-Za-z_$][\w$]*$/.test(name)
  return isIdentifier ? `modelAliases.${name}` : `modelAliases[${JSON.stringify(name)}]`
}

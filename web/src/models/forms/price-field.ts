import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { modelsTexts } from '../../texts/models.ts'
import type { FieldSpec } from './field-spec.ts'

type Price = NonNullable<NonNullable<ConnectionAnswer['providerSpecificData']>['price']>

const names = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

export function priceField(path: string, whose: string): FieldSpec {
  return {
    ...{
      name: 'price',
      label: modelsTexts.draft.price,
      kind: 'text',
      path,
      placeholder: '3, 15, 0.3, 3.75',
    },
    description: modelsTexts.draft.priceHint(whose),
  }
}

/** The price as it is typed: "3, 15". */
export function priceText(price: Price | undefined): string {
  const values = names.map((name) => price?.[name])
  return values.slice(0, values.findLastIndex((value) => value !== undefined) + 1).join(', ')
}

/** Undefined if empty. Other text stays as it is, so that the service refuses it and names the field. */
export function priceOf(text = ''): object | string | undefined {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.every((part) => part === '')) return undefined
  const values = parts.map((part) => (part === '' ? undefined : Number(part)))
  if (parts.length > names.length || values.some(Number.isNaN)) return text
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const value = values[index]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

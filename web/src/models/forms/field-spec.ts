/** The entered values by field name. A checkbox is 'yes' or ''. */
export type Draft = Readonly<Record<string, string>>

/** Describes a field of a form. */
export interface FieldSpec {
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'lines' | 'select' | 'suggested' | 'secret' | 'check'
  /** The path that API errors name: `providerSpecificData.baseUrl`. */
  readonly path: string
  readonly description?: string
  readonly placeholder?: string
  readonly isRequired?: boolean
  /** The options of a select, or suggestions. */
  readonly options?: readonly FieldOption[]
  /** Default: always shown. */
  readonly isShown?: (draft: Draft) => boolean
}

export interface FieldOption {
  readonly value: string
  readonly label: string
}

export function shownFields(fields: readonly FieldSpec[], draft: Draft): readonly FieldSpec[] {
  return fields.filter(({ isShown }) => isShown?.(draft) ?? true)
}

/**
 * The name of the form field that an API error refers to; undefined if no shown field matches. The
 * API also names positions within a field: `models[3]`.
 */
export function fieldOfError(
  fields: readonly FieldSpec[],
  path: string | undefined,
): string | undefined {
  if (path === undefined) return undefined
  return fields.find((field) => isWithin(path, field.path))?.name
}

/** Whether a JSON path names this field or something in it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}[`) || path.startsWith(`${outer}.`)
}

/** The non-blank lines, trimmed. */
export function linesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

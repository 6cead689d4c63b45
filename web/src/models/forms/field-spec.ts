/** What a person has typed, by the names of the fields. A check is 'yes' or ''. */
export type Draft = Readonly<Record<string, string>>

/** A field of a form, as data. */
export interface FieldSpec {
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'lines' | 'select' | 'suggested' | 'secret' | 'check'
  /** Where the API has it, for the field that its errors name: `providerSpecificData.baseUrl`. */
  readonly path: string
  readonly description?: string
  readonly placeholder?: string
  readonly isRequired?: boolean
  /** Of a select, or what is suggested. */
  readonly options?: readonly FieldOption[]
  /** Absent: always. */
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
 * The name of the field that an error of the API is about; undefined: of none that is shown. The
 * API names places within a field too: `models[3]`.
 */
export function fieldOfError(
  fields: readonly FieldSpec[],
  path: string | undefined,
): string | undefined {
  if (path === undefined) return undefined
  return fields.find((field) => path === field.path || isWithin(path, field.path))?.name
}

function isWithin(path: string, outer: string): boolean {
  return path.startsWith(`${outer}[`) || path.startsWith(`${outer}.`)
}

/** The lines that are not blank, without the space around them. */
export function linesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

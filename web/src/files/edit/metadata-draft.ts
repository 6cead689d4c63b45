import { fileEditTexts } from '../../texts/file-edit.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import {
  type EditedHeader,
  editedHeaders,
  type MetadataChange,
  sizeProblem,
} from './metadata-change.ts'

/** The form, as it is typed. */
export interface MetadataDraft {
  readonly fields: Readonly<Record<EditedHeader, FieldDraft>>
  readonly rows: readonly RowDraft[]
}

export interface FieldDraft {
  /** For one file: the field was edited. For several: all of them get the value. */
  readonly isChanged: boolean
  readonly value: string
}

/** A line of user metadata. */
export interface RowDraft {
  readonly id: number
  readonly name: string
  readonly value: string
  /** For several files: whether the entry is removed from all of them. */
  readonly isRemoval: boolean
}

/** The form for one file, or an empty form for several. */
export function draftOf(details: ObjectDetails | undefined): MetadataDraft {
  const fields = editedHeaders.map((name) => [
    name,
    { isChanged: false, value: shownValue(details, name) },
  ])
  const rows = (details?.metadata ?? []).map(([name, value], id) => ({
    ...{ id, name, value, isRemoval: false },
  }))
  return { fields: Object.fromEntries(fields) as MetadataDraft['fields'], rows }
}

function shownValue(details: ObjectDetails | undefined, header: EditedHeader): string {
  if (header === 'Content-Type') return details?.contentType ?? ''
  return details?.headers.find(([name]) => name === header)?.[1] ?? ''
}

export function withRow({ fields, rows }: MetadataDraft): MetadataDraft {
  const id = 1 + Math.max(-1, ...rows.map((row) => row.id))
  return { fields, rows: [...rows, { id, name: '', value: '', isRemoval: false }] }
}

/** The changes made in the form. @param details of a single file */
export function changeOf(draft: MetadataDraft, details: ObjectDetails | undefined): MetadataChange {
  const headers = new Map<EditedHeader, string>()
  for (const name of editedHeaders) {
    const { isChanged, value } = draft.fields[name]
    const isOther = details === undefined || value !== shownValue(details, name)
    if (isChanged && isOther) headers.set(name, value.trim())
  }
  const before = new Map(details?.metadata)
  const metadata = new Map<string, string | undefined>()
  for (const { name, value, isRemoval } of draft.rows) {
    const key = name.toLowerCase()
    if (before.get(key) !== value) metadata.set(key, isRemoval ? undefined : value)
    before.delete(key)
  }
  // The removed lines.
  for (const name of before.keys()) metadata.set(name, undefined)
  return { headers, metadata }
}

// RFC 9110 section 8.3.1: tokens around a slash, then parameters.
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(?:;.*)?$/

/** Why a header field cannot have this value, for people. */
export function headerProblem(name: EditedHeader, value: string): string | undefined {
  const text = value.trim()
  if (/[^ -~]/.test(text)) {
    return name === 'Content-Disposition' ? fileEditTexts.form.asciiName : fileEditTexts.form.ascii
  }
  if (name === 'Content-Type' && text !== '' && !mediaType.test(text)) {
    return fileEditTexts.form.type
  }
  return undefined
}

/** Why a line of user metadata cannot have its name. */
export function rowProblem({ id, name }: RowDraft, rows: readonly RowDraft[]): string | undefined {
  if (name === '') return fileEditTexts.form.noName
  // RFC 9110 section 5.1.
  if (/[^\w!#$%&'*+.^`|~-]/.test(name)) return fileEditTexts.form.nameCharacters
  const isSame = (other: RowDraft) => other.name.toLowerCase() === name.toLowerCase()
  return rows.some((other) => other.id < id && isSame(other))
    ? fileEditTexts.form.nameTaken
    : undefined
}

/** Why all lines together cannot be saved. */
export function rowsProblem(rows: readonly RowDraft[]): string | undefined {
  const kept = rows.filter(({ isRemoval }) => !isRemoval)
  return sizeProblem(new Map(kept.map(({ name, value }) => [name.toLowerCase(), value])))
}

export function isValid({ fields, rows }: MetadataDraft): boolean {
  const isGood = (name: EditedHeader) =>
    !fields[name].isChanged || headerProblem(name, fields[name].value) === undefined
  return (
    editedHeaders.every(isGood) &&
    rows.every((row) => rowProblem(row, rows) === undefined) &&
    rowsProblem(rows) === undefined
  )
}

import { type FileKind, fileKind } from '../../../../src/platform/text/file-kind.ts'
import { foldedName } from '../../../../src/platform/text/folded-name.ts'
import { type Entry, modifiedOf } from '../entries/entry.ts'

/** What a name, a date and a size must be to be shown. The values are those of the address. */
export interface EntryFilter {
  /** Part of a name. */
  readonly text: string
  readonly kind?: string | undefined
  readonly changed?: string | undefined
  readonly size?: string | undefined
}

type Choices = readonly (readonly [value: string, label: string])[]

/** The choices of each filter. The first one shows everything. */
export const filterChoices = {
  kind: [
    ['', 'Any kind'],
    ['folder', 'Folders'],
    ['image', 'Pictures'],
    ['video', 'Videos'],
    ['audio', 'Audio'],
    ['document', 'Documents'],
    ['archive', 'Archives'],
    ['code', 'Code and data'],
  ],
  changed: [
    ['', 'Any date'],
    ['1', 'Last 24 hours'],
    ['7', 'Last 7 days'],
    ['30', 'Last 30 days'],
    ['365', 'Last 12 months'],
  ],
  size: [
    ['', 'Any size'],
    ['-1', 'Below 1 MB'],
    ['1', 'Above 1 MB'],
    ['100', 'Above 100 MB'],
    ['1000', 'Above 1 GB'],
  ],
} as const satisfies Readonly<Record<string, Choices>>

const documents: readonly (FileKind | undefined)[] = ['document', 'pdf', 'sheet', 'slides', 'text']

const dayMs = 24 * 60 * 60 * 1_000
const megabyte = 1_000_000

/** Whether anything is filtered. */
export function isFiltering({ text, kind, changed, size }: EntryFilter): boolean {
  return [text, kind, changed, size].some((value) => value !== undefined && value !== '')
}

/** The entries that match, in their order. Folders have no size and no date. */
export function matching(
  entries: readonly Entry[],
  { text, kind = '', changed = '', size = '' }: EntryFilter,
  nowMs: number,
): readonly Entry[] {
  if (!isFiltering({ text, kind, changed, size })) return entries
  const folded = foldedName(text)
  return entries.filter((entry) => {
    if (folded !== '' && !foldedName(entry.name).includes(folded)) return false
    if (kind !== '' && !isOfKind(entry, kind)) return false
    if (changed === '' && size === '') return true
    if (entry.kind === 'folder') return false
    const isRecent = changed === '' || modifiedOf(entry) >= nowMs - Number(changed) * dayMs
    const limit = Number(size) * megabyte
    return isRecent && (limit < 0 ? entry.size < -limit : entry.size >= limit)
  })
}

function isOfKind(entry: Entry, kind: string): boolean {
  if (entry.kind === 'folder') return kind === 'folder'
  const found = fileKind(entry.key)
  return kind === 'document' ? documents.includes(found) : found === kind
}

import { type FileKind, fileKind } from '../../../../src/platform/text/file-kind.ts'
import { foldedName } from '../../../../src/platform/text/folded-name.ts'
import { filesTexts } from '../../texts/files.ts'
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
    ['', filesTexts.kind.any],
    ['folder', filesTexts.kind.folder],
    ['image', filesTexts.kind.image],
    ['video', filesTexts.kind.video],
    ['audio', filesTexts.kind.audio],
    ['document', filesTexts.kind.document],
    ['archive', filesTexts.kind.archive],
    ['code', filesTexts.kind.code],
  ],
  changed: [
    ['', filesTexts.changed.any],
    ['1', filesTexts.changed.day],
    ['7', filesTexts.changed.week],
    ['30', filesTexts.changed.month],
    ['365', filesTexts.changed.year],
  ],
  size: [
    ['', filesTexts.sizes.any],
    ['-1', filesTexts.sizes.small],
    ['1', filesTexts.sizes.mb],
    ['100', filesTexts.sizes.mb100],
    ['1000', filesTexts.sizes.gb],
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
